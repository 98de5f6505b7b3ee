import type { JobState } from '../domain/job.ts';
import type { Failure, Reason } from '../domain/reason.ts';
import type { Score } from '../domain/score.ts';
import type { StepKind } from '../domain/step.ts';
import type { JobVerdict } from '../domain/verdict.ts';
import type { LogPage, LogRow } from './log-rows.ts';

/** What a statement selects of a try, or of a job's end. */
export type LogColumns = {
  readonly kind: 'try' | 'job';
  readonly atMs: number;
  readonly id: number;
  readonly jobId: string;
  readonly documentId: string;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
  readonly outcome: Extract<LogRow, { kind: 'try' }>['outcome'] | null;
  readonly final: boolean;
  readonly step: StepKind | null;
  readonly stepIndex: number;
  readonly number: number;
  readonly failure: Failure | null;
  readonly state: JobState;
  readonly verdict: JobVerdict | null;
  readonly cached: boolean;
  readonly errorReason: Reason | null;
  readonly errorMessage: string | null;
  readonly scores: readonly Score[] | null;
};

/** After which row of its own each side goes on: of one millisecond all tries come before all ends. */
export function logStarts({ after, sinceMs }: LogPage) {
  const start = { atMs: sinceMs, id: -1 };
  const reached = after === null || after.atMs < sinceMs ? null : after;
  const tries = reached === null ? start : { atMs: reached.atMs, id: reached.kind === 'try' ? reached.id : Number.MAX_SAFE_INTEGER };
  const ends = reached === null ? start : { atMs: reached.atMs, id: reached.kind === 'job' ? reached.id : -1 };
  return { triesAtMs: tries.atMs, triesId: tries.id, endsAtMs: ends.atMs, endsId: ends.id };
}

export function logRowOf(row: LogColumns): LogRow {
  const { kind, atMs, id, jobId, documentId, task, model, repeat, outcome, step, number, final, failure } = row;
  const told = { place: { atMs, kind, id }, job: { jobId, documentId, task, model, repeat } };
  if (outcome !== null && step !== null) return { ...told, kind: 'try', outcome, final, step, index: row.stepIndex, number, failure };
  const { state, verdict, cached, errorReason, errorMessage, scores } = row;
  const error = errorReason === null || errorMessage === null ? null : { reason: errorReason, message: errorMessage };
  return { ...told, kind: 'job', state, verdict, cached, error, scores: scores ?? [] };
}
