import { stepName } from '../artifacts/job-record.ts';
import { resultLine } from '../artifacts/result-line.ts';
import type { CanonicalText, Span } from '../domain/document.ts';
import { usdOf } from '../domain/money.ts';
import type { ReportAttempt } from '../report/html/report-data.ts';
import type { JobSource, StepSource } from '../report/html/report-job.ts';
import type { CallRow, JobRecord, RunRow, StepRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

type Read = {
  readonly store: Pick<Store, 'response'>;
  readonly run: Pick<RunRow, 'manifest'>;
  /** Whether what was sent and what came is wanted. */
  readonly prompts: boolean;
};

/** All that a report may say of a job. `content`: its document, where that has text. */
export async function jobSource({ store, run, prompts }: Read, record: JobRecord, content: CanonicalText | null): Promise<JobSource> {
  const { job } = record;
  const steps: StepSource[] = [];
  for (const step of record.steps) {
    if (step.kind !== 'finish') steps.push(await stepSource(prompts ? store : null, { record, step, content }));
  }
  const answer = job.verdict === null || job.result === null ? {} : { answer: job.result.answer };
  return {
    line: resultLine(job, run.manifest.artifacts),
    ...answer,
    steps,
    attempts: attemptsOf(record),
    text: content?.text ?? null,
  };
}

type Step = { readonly record: JobRecord; readonly step: StepRow; readonly content: CanonicalText | null };

async function stepSource(store: Read['store'] | null, { record, step, content }: Step): Promise<StepSource> {
  const { result, verdict } = record.job;
  const base = { name: stepName(record.steps, step.stepId), kind: step.kind, asked: askedSpan(record, step, content) };
  const own = record.calls.filter(({ stepId }) => stepId === step.stepId).map(({ callToken }) => callToken);
  for (const token of store === null ? [] : [step.callToken, ...own.reverse()]) {
    const completion = token === null || store === null ? null : await store.response(token);
    if (completion === null) continue;
    const isJudged = verdict !== null && result !== null && token === result.callToken && !result.repaired;
    return { ...base, completion, isJudged };
  }
  return { ...base, completion: null, isJudged: false };
}

/** The `reduce` of a document's parts was asked about answers, not about the text. */
function askedSpan({ steps }: JobRecord, { part }: StepRow, content: CanonicalText | null): Span | null {
  if (part !== null) return part;
  return content === null || steps.some((step) => step.part !== null) ? null : { start: 0, end: content.text.length };
}

/** As `attempts.jsonl` has them. */
function attemptsOf({ steps, attempts, calls }: JobRecord): readonly ReportAttempt[] {
  const costs = new Map(calls.map((call) => [call.callToken, costOf(call)]));
  const ordered = [...attempts].sort((a, b) => a.startedAtMs - b.startedAtMs || a.stepId - b.stepId || a.number - b.number);
  return ordered.map(({ stepId, number, callToken, outcome, failure, startedAtMs, endedAtMs }) => ({
    step: stepName(steps, stepId),
    number,
    outcome,
    reason: failure?.reason ?? null,
    message: failure?.message ?? null,
    startedAt: new Date(startedAtMs).toISOString(),
    tookMs: endedAtMs - startedAtMs,
    costUsd: callToken === null ? null : (costs.get(callToken) ?? null),
  }));
}

function costOf({ costNanoUsd }: CallRow): number | null {
  return costNanoUsd === null ? null : usdOf(costNanoUsd);
}
