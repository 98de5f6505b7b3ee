import { oneLine } from '../../domain/hostile-text.ts';
import { advised } from '../../domain/next-step.ts';
import type { EngineEvent } from '../../engine/events.ts';
import { shortJobId } from '../job-names.ts';
import { isoTime, utcClock } from '../terminal/format.ts';
import type { RunOutcome } from './outcome.ts';
import type { Progress } from './progress.ts';
import { waitingText } from './waiting-text.ts';

type Level = 'INFO' | 'WARN' | 'ERROR' | 'FAIL' | 'REVIEW' | 'DLQ';
type Fields = { readonly [name: string]: string | number | boolean };

/** One line of the plain log before it is written down. `text` may be hostile, `fields` too. */
export type PlainLine = { readonly level: Level; readonly text: string; readonly fields?: Fields };

const LONGEST_TEXT = 1000;

/** `13:14:11Z FAIL text name=value …`: one physical line, whatever the texts hold; values are quoted where a space would split them. */
export function plainText({ level, text, fields = {} }: PlainLine, atMs: number): string {
  return [utcClock(atMs), level.padEnd(4), oneLine(text, LONGEST_TEXT), ...Object.entries(fields).map(fieldText)].join(' ');
}

function fieldText([name, value]: [string, string | number | boolean]): string {
  const text = oneLine(String(value), LONGEST_TEXT);
  return `${name}=${/^[\w@%+=:,./#-]+$/.test(text) ? text : JSON.stringify(text)}`;
}

/** What an event is worth in the log; `null` for what is only counted. */
export function eventLine(event: EngineEvent): PlainLine | null {
  switch (event.kind) {
    case 'document.failed':
      return { level: 'WARN', text: `document ${event.documentId}`, fields: failureFields(event) };
    case 'run.started':
      return { level: 'INFO', text: `run ${event.runId}`, fields: startedFields(event) };
    case 'job.ended':
      return endedLine(event);
    case 'step.retry':
      return { level: 'INFO', text: `retry ${event.label}`, fields: failureFields(event.failure) };
    case 'step.reask':
      return { level: 'INFO', text: `reask ${event.label}`, fields: { errors: event.errors.length, first: event.errors[0] ?? '' } };
    case 'lane.paused':
      return { level: 'WARN', text: `paused ${event.provider}`, fields: pausedFields(event) };
    case 'lease.lost':
      return { level: 'WARN', text: `lease lost ${event.label}`, fields: { answer_kept: event.resultKept } };
    case 'stopping':
      return { level: 'WARN', text: 'stopping', fields: { in_flight: event.inFlight, now: event.now } };
    case 'warning':
      return { level: 'WARN', text: event.message };
    case 'documents.progress':
    case 'job.started':
      return null;
  }
}

function startedFields(event: Extract<EngineEvent, { kind: 'run.started' }>): Fields {
  return { name: event.name, jobs: event.jobs, cached: event.cached, joined: event.joined, out: event.outDir };
}

function pausedFields({ scope, model, failure, untilMs, next }: Extract<EngineEvent, { kind: 'lane.paused' }>): Fields {
  return {
    scope,
    ...(model === null ? {} : { model }),
    ...failureFields(failure),
    ...(untilMs === null ? {} : { until: isoTime(untilMs) }),
    next,
  };
}

function failureFields(failure: { readonly reason: string; readonly message: string }): Fields {
  return { reason: failure.reason, message: advised(failure).what };
}

function endedLine(event: Extract<EngineEvent, { kind: 'job.ended' }>): PlainLine | null {
  if (event.state === 'cancelled' || event.verdict === 'pass') return null;
  const fields: Fields = {
    ...(event.error === null ? {} : failureFields(event.error)),
    ...(event.explanation === null ? {} : { check: event.explanation }),
    job: shortJobId(event.jobId),
  };
  return { level: event.verdict === 'error' ? 'DLQ' : event.verdict === 'fail' ? 'FAIL' : 'REVIEW', text: event.label, fields };
}

/** Where the run stands. */
export function progressLine(progress: Progress, nowMs: number): PlainLine {
  const { done, total, pass, fail, review, dlq } = progress.counts;
  const { jobsPerMinute, etaSeconds } = progress.pace;
  const spent = progress.totals?.cost.spentNanoUsd ?? null;
  const running = progress.totals?.jobs.running ?? 0;
  const waiting = progress.totals?.waiting ?? [];
  const fields: Fields = {
    done: `${done}/${total}`,
    pass,
    fail,
    review,
    dlq,
    ...(jobsPerMinute === null ? {} : { rate_min: jobsPerMinute.toFixed(1) }),
    ...(etaSeconds === null ? {} : { eta_s: etaSeconds }),
    ...(spent === null ? {} : { usd: (spent / 1e9).toFixed(4) }),
    ...(running === 0 && waiting.length > 0 ? { waiting: waiting.map((each) => waitingText(each, nowMs)).join(' · ') } : {}),
  };
  return { level: 'INFO', text: 'progress', fields };
}

/** The run's last line in the log, for `grep`; the block for people follows it. */
export function finishedLine({ run, verdict, exitCode, isLast, stoppedBy, totals: { jobs, results } }: RunOutcome): PlainLine {
  const { pass, fail, review, error, open } = results;
  const exit = isLast ? { exit: exitCode } : {};
  const stopped = stoppedBy.length === 0 ? {} : { stopped: [...new Set(stoppedBy.map(({ why }) => why))].join(',') };
  const fields = { ...exit, ...stopped, jobs: jobs.total, dlq: jobs.failed, pass, fail, review, error, open, out: run.outDir };
  return { level: exitCode === 0 ? 'INFO' : 'ERROR', text: `run ${run.runId} ${verdict.toUpperCase()}`, fields };
}
