import { advised } from '../../domain/next-step.ts';
import { selectedPart } from '../../domain/selection.ts';
import type { EngineEvent } from '../../engine/events.ts';
import { verdictSign } from '../../report/headline.ts';
import { shortJobId } from '../jobs/job-names.ts';
import { planProgress } from '../jobs/plan-progress.ts';
import { isoTime } from '../terminal/format.ts';
import type { Fields, LogLine } from './log-line.ts';
import type { RunOutcome } from './outcome.ts';
import type { Standing } from './progress.ts';
import { waitingText } from './waiting-text.ts';

/** What an event is worth in the log; `null` for what is only counted. */
export function eventLine(event: EngineEvent): LogLine | null {
  switch (event.kind) {
    case 'document.failed':
      return { level: 'WARN', event: event.kind, text: `document ${event.documentId}`, fields: failureFields(event) };
    case 'run.started':
      return { level: 'INFO', event: event.kind, text: `run ${event.runId}`, fields: startedFields(event), record: startedRecord(event) };
    case 'retry.planned':
      return { level: 'INFO', event: event.kind, text: `retry ${event.runId}`, fields: retryFields(event) };
    case 'job.ended':
      return endedLine(event);
    case 'step.retry':
      // Given up because the process ends: nothing is tried again here.
      if (event.failure.reason === 'cancelled') return null;
      return { level: 'INFO', event: event.kind, text: `retry ${event.label}`, fields: failureFields(event.failure) };
    case 'step.reask':
      return { level: 'INFO', event: event.kind, text: `reask ${event.label}`, fields: reaskFields(event) };
    case 'lane.paused':
      return { level: 'WARN', event: event.kind, text: `paused ${event.provider}`, fields: pausedFields(event) };
    case 'lease.lost':
      return { level: 'WARN', event: event.kind, text: `lease lost ${event.label}`, fields: { answer_kept: event.resultKept } };
    case 'stopping':
      return { level: 'WARN', event: event.kind, text: 'stopping', fields: stoppingFields(event) };
    case 'warning':
      return { level: 'WARN', event: event.kind, text: event.message };
    case 'documents.progress':
    case 'job.started':
      return null;
  }
}

function stoppingFields({ inFlight, now, graceMs }: Extract<EngineEvent, { kind: 'stopping' }>): Fields {
  return { in_flight: inFlight, now, ...(graceMs === undefined ? {} : { limit_s: graceMs / 1000 }) };
}

type Started = Extract<EngineEvent, { kind: 'run.started' }>;

function startedFields({ name, jobs, cached, joined, outDir, filesHere, results, plan, selected }: Started): Fields {
  return {
    name,
    jobs,
    ...(selected === undefined ? {} : { of: selected.allJobs, selected: selected.options }),
    ...(results === undefined ? {} : { results }),
    ...(cached === null ? {} : { cached }),
    joined,
    ...usdField('plan_usd', plan?.expectedNanoUsd),
    ...usdField('budget_usd', plan?.budgetNanoUsd),
    ...outField(outDir, filesHere),
  };
}

/** A path says nothing here when it is another machine's. */
function outField(outDir: string, isHere: boolean): Fields {
  return isHere ? { out: outDir } : { out_elsewhere: outDir };
}

function startedRecord(event: Started): Fields {
  return { run: event.runId, ...startedFields(event) };
}

function retryFields(planned: Extract<EngineEvent, { kind: 'retry.planned' }>): Fields {
  const { jobs, otherJobs, calls, expectedNanoUsd, worstNanoUsd } = planned;
  return {
    jobs,
    ...(otherJobs === 0 ? {} : { others: otherJobs }),
    calls,
    ...usdField('expected_usd', expectedNanoUsd),
    ...usdField('at_most_usd', worstNanoUsd),
  };
}

function usdField(name: string, nanoUsd: number | null | undefined): Fields {
  return nanoUsd === null || nanoUsd === undefined ? {} : { [name]: Number((nanoUsd / 1e9).toFixed(4)) };
}

function reaskFields({ errors }: Extract<EngineEvent, { kind: 'step.reask' }>): Fields {
  return { errors: errors.length, first: errors[0] ?? '' };
}

function pausedFields({ scope, model, failure, untilMs, fix, next }: Extract<EngineEvent, { kind: 'lane.paused' }>): Fields {
  return {
    scope,
    ...(model === null ? {} : { model }),
    ...failureFields(failure),
    ...(untilMs === null ? {} : { until: isoTime(untilMs) }),
    ...(fix === null ? {} : { fix }),
    ...(next === undefined ? {} : { next }),
  };
}

function failureFields(failure: { readonly reason: string; readonly message: string }): Fields {
  const { what } = advised(failure);
  return { reason: failure.reason, ...(what === '' ? {} : { message: what }) };
}

function endedLine(event: Extract<EngineEvent, { kind: 'job.ended' }>): LogLine | null {
  if (event.state === 'cancelled' || event.verdict === 'pass') return null;
  const fields: Fields = {
    ...(event.error === null ? {} : failureFields(event.error)),
    ...(event.explanation === null ? {} : { check: event.explanation }),
    job: shortJobId(event.jobId),
  };
  return { ...WORDS[event.verdict], text: event.label, fields };
}

/** How a job's verdict is told. */
export const WORDS = {
  pass: { level: 'PASS', event: 'job.pass' },
  fail: { level: 'FAIL', event: 'job.fail' },
  review: { level: 'REVIEW', event: 'job.review' },
  error: { level: 'DLQ', event: 'job.dlq' },
} as const satisfies Record<string, Pick<LogLine, 'level' | 'event'>>;

/** Where the run stands; `named` where its line could be taken for that of another. */
export function progressLine(runId: string, progress: Standing, { nowMs, named }: { nowMs: number; named: boolean }): LogLine {
  const { done, total, ...counts } = tallyOf(progress);
  const { jobsPerMinute, etaSeconds } = progress.pace;
  const { parts } = progress;
  const spent = progress.totals?.cost.spentNanoUsd ?? null;
  const unpriced = progress.totals?.cost.unpricedCalls ?? 0;
  const running = progress.totals?.jobs.running ?? 0;
  const waiting = progress.totals?.waiting ?? [];
  const rest: Fields = {
    ...counts,
    ...(jobsPerMinute === null ? {} : { rate_min: Number(jobsPerMinute.toFixed(1)) }),
    ...(etaSeconds === null ? {} : { eta_s: etaSeconds }),
    ...usdField('usd', spent),
    ...(unpriced > 0 ? { unpriced_calls: unpriced } : {}),
    ...(running === 0 && waiting.length > 0 ? { waiting: waiting.map((each) => waitingText(each, nowMs)).join(' · ') } : {}),
  };
  return {
    level: 'INFO',
    event: 'progress',
    text: 'progress',
    fields: {
      ...(named ? { run: runId } : {}),
      done: `${done}/${total}`,
      ...(parts === null ? {} : { parts: `${parts.done}/${parts.total}` }),
      ...rest,
    },
    record: { run: runId, done, total, ...(parts === null ? {} : { parts_done: parts.done, parts: parts.total }), ...rest },
  };
}

function tallyOf({ counts: { done, total, pass, fail, review, dlq } }: Standing) {
  return { done, total, pass, fail, review, dlq };
}

/** The run's last line in the log, for `grep`; the block for people follows it. */
export function finishedLine({ run, verdict, exitCode, isLast, stoppedBy, filesHere = true, totals }: RunOutcome): LogLine {
  const { jobs, results } = totals;
  const { pass, fail, review, error, open } = results;
  const exit = isLast ? { exit: exitCode } : {};
  const stopped = stoppedBy.length === 0 ? {} : { stopped: [...new Set(stoppedBy.map(({ why }) => why))].join(',') };
  const of = planProgress(run, totals)?.of ?? null;
  const part = selectedPart(run.settings, jobs.total);
  const ofPart = part === null ? {} : { ...(part.of === null ? {} : { of: part.of }), selected: part.options };
  const fields = {
    ...exit,
    ...stopped,
    jobs: jobs.total,
    ...(of === null ? {} : { planned: of }),
    ...ofPart,
    dlq: jobs.failed,
    pass,
    fail,
    review,
    error,
    open,
    ...outField(run.outDir, filesHere),
  };
  const record = { run: run.runId, verdict, ...fields };
  return {
    level: exitCode === 0 ? 'INFO' : 'ERROR',
    event: 'run.finished',
    text: `run ${run.runId} ${verdictSign(verdict, results).word}`,
    fields,
    record,
  };
}
