import type { RunOutcome } from '../../src/cli/display/outcome.ts';
import { errorRecord, eventRecord, outcomeRecord } from '../../src/cli/observe/event-record.ts';
import type { WorkNews } from '../../src/domain/work-news.ts';
import type { EngineEvent } from '../../src/engine/events.ts';
import { workRecord } from '../../src/observe/log/work-record.ts';
import { sampleRun, sampleTotals } from '../cli/sample-run.ts';
import { ANSWERED, FAILED, STEP } from './sample-news.ts';

const FAILURE = { class: 'rate', reason: 'rate_limited', message: 'MARK' } as const;
const ENDED = { kind: 'step.ended', step: STEP, atMs: 0, outcome: 'failed', failure: FAILURE, retryAtMs: null } as const;

/** One of each kind, and of each thing that may come of it. */
const NEWS: readonly WorkNews[] = [
  { kind: 'step.started', step: STEP, atMs: 0 },
  { kind: 'call.ended', step: STEP, atMs: 0, call: ANSWERED },
  { kind: 'call.ended', step: STEP, atMs: 0, call: FAILED },
  ENDED,
  { ...ENDED, retryAtMs: 1 },
  { ...ENDED, outcome: 'lost', failure: null },
  { kind: 'job.ended', step: STEP, atMs: 0, state: 'succeeded', verdict: 'pass', cached: false, reason: null },
];

/** Every kind of event, each with words that may not be told. */
export const EVENTS: { readonly [Kind in EngineEvent['kind']]: Extract<EngineEvent, { kind: Kind }> } = {
  'documents.progress': { kind: 'documents.progress', done: 1, total: 2, documentId: 'a.md' },
  'document.failed': { kind: 'document.failed', documentId: 'a.md', reason: 'document_empty', message: 'MARK' },
  'run.started': {
    kind: 'run.started',
    runId: 'r-1',
    name: 'n',
    joined: false,
    jobs: 1,
    cached: 0,
    outDir: '/home/ann/runs',
    filesHere: true,
  },
  'retry.planned': {
    ...{ kind: 'retry.planned', runId: 'r-1', jobs: 1, otherJobs: 0, calls: 1, expectedNanoUsd: null, worstNanoUsd: null },
    keepsResults: false,
  },
  'job.started': { kind: 'job.started', runId: 'r-1', jobId: 'j', label: 'a.md:t:m' },
  'job.ended': {
    ...{ kind: 'job.ended', runId: 'r-1', jobId: 'j', label: 'a.md:t:m', state: 'failed', verdict: 'error', cached: false },
    ...{ error: { reason: 'refused', message: 'MARK' }, explanation: 'MARK' },
  },
  'step.retry': { kind: 'step.retry', runId: 'r-1', jobId: 'j', label: 'a.md:t:m', failure: FAILURE, atMs: 1 },
  'step.reask': { kind: 'step.reask', runId: 'r-1', jobId: 'j', label: 'a.md:t:m', errors: ['MARK'] },
  'lane.paused': { kind: 'lane.paused', provider: 'lab', scope: 'lane', model: null, failure: FAILURE, untilMs: 1, fix: 'MARK' },
  'lease.lost': { kind: 'lease.lost', runId: 'r-1', jobId: 'j', label: 'a.md:t:m', resultKept: true },
  stopping: { kind: 'stopping', inFlight: 2, now: false },
  warning: { kind: 'warning', message: 'MARK' },
};

/** Whatever the log can hold. */
function records() {
  const causes = { errors: [], failedChecks: [], failedJobs: 0, reviews: null };
  const outcome: RunOutcome = {
    ...{ run: sampleRun(), verdict: 'pass', codes: [0], exitCode: 0, totals: sampleTotals(), causes, durationMs: 1, nowMs: 1 },
    ...{ stoppedBy: [], openNanoUsd: null, isLast: true },
  };
  const told = Object.values(EVENTS).flatMap((event) => eventRecord(event) ?? []);
  return [...NEWS.map(workRecord), ...told, outcomeRecord(outcome), errorRecord(new Error('MARK'))];
}

export function loggedEvents(): ReadonlySet<string> {
  return new Set(records().map(({ event }) => event));
}

/** All of it as text. */
export function loggedText(): string {
  return JSON.stringify(records());
}
