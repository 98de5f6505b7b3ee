import type { Json } from '../../domain/canonical-json.ts';
import type { Completion } from '../../domain/completion.ts';
import type { CanonicalText } from '../../domain/document.ts';
import type { JobRecord, RunRow } from '../../store/rows.ts';
import { usdOrNull } from '../jobs/record-shapes.ts';
import { callSteps } from './job-steps.ts';
import { citedQuotes } from './show-doc.ts';

/** What every record of a part of a job begins with. */
function jobPart(run: RunRow, { job }: JobRecord): object {
  return { v: 1, runId: run.runId, jobId: job.jobId, document: job.documentId, task: job.task, model: job.model, repeat: job.repeat };
}

/** `show --prompt --json`: the body as it was sent. `step`: `null` where the job has one call only. */
export function promptRecord(run: RunRow, record: JobRecord, step: string | null, { wireBody }: Completion): object {
  return { ...jobPart(run, record), step, body: wireBody satisfies Json };
}

/** `show --raw --json`: the answer as it came. */
export function rawRecord(run: RunRow, record: JobRecord, step: string | null, { wireBody: _, ...response }: Completion): object {
  return { ...jobPart(run, record), step, response };
}

/** `show --attempts --json`: every try, and every call with its cost. */
export function attemptsRecord(run: RunRow, record: JobRecord): object {
  const names = new Map(callSteps(record).map(({ name, step }) => [step.stepId, name]));
  const named = (stepId: number) => names.get(stepId) ?? 'finish';
  return {
    ...jobPart(run, record),
    attempts: record.attempts.map((attempt) => ({ step: named(attempt.stepId), ...attempt })),
    calls: record.calls.map(({ costNanoUsd, ...call }) => ({ step: named(call.stepId), ...call, costUsd: usdOrNull(costNanoUsd) })),
  };
}

/** `show --doc --json`: the whole text, and every quote with its place in it. */
export function docRecord(run: RunRow, record: JobRecord, content: CanonicalText): object {
  const { format, extractor, title, textSha256, pages, lines, text } = content;
  return {
    ...jobPart(run, record),
    ...{ format, extractor, title, textSha256, pages, lines },
    quotes: citedQuotes(record.job.result?.scores ?? []).map(({ check, finding }) => ({ check, ...finding })),
    text,
  };
}
