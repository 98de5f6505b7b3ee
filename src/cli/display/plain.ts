import { oneLine } from '../../domain/hostile-text.ts';
import type { EngineEvent } from '../../engine/events.ts';
import type { CliIo } from '../io.ts';
import { shortJobId } from '../job-names.ts';
import { utcClock } from '../terminal/format.ts';
import { painter } from '../terminal/style.ts';
import type { Display } from './display.ts';
import { outcomeLines, type RunOutcome } from './outcome.ts';
import { Progress } from './progress.ts';

const PROGRESS_EVERY_MS = 30_000;
const PROGRESS_EVERY_SHARE = 0.05;

type Level = 'INFO' | 'WARN' | 'ERROR' | 'FAIL' | 'REVIEW' | 'DLQ';
type Fields = { readonly [name: string]: string | number | boolean };

/** One line on stderr for each event that matters: never wrapped, no colour, its own words first. Passed jobs are only counted. */
export function plainDisplay(io: CliIo): Display {
  const progress = new Progress();
  const meter = new Milestones();
  const documents = new Milestones();
  const print = (level: Level, text: string, fields: Fields = {}): void => {
    io.stderr.write(`${utcClock(io.now())} ${level.padEnd(4)} ${[text, ...Object.entries(fields).map(fieldText)].join(' ')}\n`);
  };
  const printProgress = (): void => {
    const { done, total } = progress.counts;
    if (total > 0 && meter.reached(done, total, io.now())) print('INFO', 'progress', progressFields(progress));
  };
  return {
    onEvent(event) {
      progress.onEvent(event);
      if (event.kind !== 'documents.progress') printEvent(event, print);
      else if (documents.reached(event.done, event.total, io.now())) print('INFO', 'documents', { read: `${event.done}/${event.total}` });
      if (event.kind === 'job.ended') printProgress();
    },
    onTotals(totals) {
      progress.onTotals(totals, io.now());
      printProgress();
    },
    onFinished(outcome) {
      print(
        outcome.exitCode === 0 ? 'INFO' : 'ERROR',
        `run ${outcome.run.runId} ${outcome.verdict.toUpperCase()}`,
        finishedFields(outcome),
      );
      const look = { cwd: io.cwd, paint: painter(false), columns: Number.POSITIVE_INFINITY };
      for (const line of outcomeLines(outcome, look)) io.stderr.write(`${line}\n`);
    },
    close: () => undefined,
  };
}

/** When progress is worth a line: 5 % further, or 30 s later with something done. */
class Milestones {
  #atMs: number | null = null;
  #done = 0;

  reached(done: number, total: number, nowMs: number): boolean {
    this.#atMs ??= nowMs;
    if (done <= this.#done) return false;
    const due = done - this.#done >= total * PROGRESS_EVERY_SHARE || nowMs - this.#atMs >= PROGRESS_EVERY_MS;
    if (!due) return false;
    this.#atMs = nowMs;
    this.#done = done;
    return true;
  }
}

type Print = (level: Level, text: string, fields?: Fields) => void;

function printEvent(event: EngineEvent, print: Print): void {
  switch (event.kind) {
    case 'document.failed':
      return print('WARN', `document ${oneLine(event.documentId)}`, { reason: event.reason, message: event.message });
    case 'run.started':
      return print('INFO', `run ${event.runId}`, startedFields(event));
    case 'job.ended':
      return printEnded(event, print);
    case 'step.retry':
      return print('INFO', `retry ${oneLine(event.label)}`, { reason: event.failure.reason, message: event.failure.message });
    case 'step.reask':
      return print('INFO', `reask ${oneLine(event.label)}`, { errors: event.errors.length, first: event.errors[0] ?? '' });
    case 'lane.paused':
      return print('WARN', `paused ${oneLine(event.provider)}`, { reason: event.failure.reason, message: event.failure.message });
    case 'lease.lost':
      return print('WARN', `lease lost ${oneLine(event.label)}`, { answer_kept: event.resultKept });
    case 'stopping':
      return print('WARN', 'stopping', { in_flight: event.inFlight, now: event.now });
    case 'warning':
      return print('WARN', oneLine(event.message, 1000));
    case 'documents.progress':
    case 'job.started':
      return;
  }
}

function startedFields(event: Extract<EngineEvent, { kind: 'run.started' }>): Fields {
  return { name: event.name, jobs: event.jobs, cached: event.cached, ...(event.joined ? { joined: true } : {}), out: event.outDir };
}

function printEnded(event: Extract<EngineEvent, { kind: 'job.ended' }>, print: Print): void {
  if (event.state === 'cancelled' || event.verdict === 'pass') return;
  const fields: Fields = {
    ...(event.error === null ? {} : { reason: event.error.reason, message: event.error.message }),
    ...(event.explanation === null ? {} : { check: event.explanation }),
    job: shortJobId(event.jobId),
  };
  const level: Level = event.verdict === 'error' ? 'DLQ' : event.verdict === 'fail' ? 'FAIL' : 'REVIEW';
  print(level, oneLine(event.label), fields);
}

function progressFields(progress: Progress): Fields {
  const { done, total, pass, fail, review, dlq } = progress.counts;
  const { jobsPerMinute, etaSeconds } = progress.pace;
  const spent = progress.totals?.cost.spentNanoUsd ?? null;
  return {
    done: `${done}/${total}`,
    pass,
    fail,
    review,
    dlq,
    ...(jobsPerMinute === null ? {} : { rate_min: jobsPerMinute.toFixed(1) }),
    ...(etaSeconds === null ? {} : { eta_s: etaSeconds }),
    ...(spent === null ? {} : { usd: (spent / 1e9).toFixed(4) }),
  };
}

function finishedFields({ run, exitCode, totals: { jobs, results } }: RunOutcome): Fields {
  const { pass, fail, review, error, open } = results;
  return { exit: exitCode, jobs: jobs.total, dlq: jobs.failed, pass, fail, review, error, open, out: run.outDir };
}

/** `name=value`, the value quoted where it holds anything but plain characters. */
function fieldText([name, value]: [string, string | number | boolean]): string {
  const text = oneLine(String(value), 500);
  return `${name}=${/^[\w@%+=:,./#-]+$/.test(text) ? text : JSON.stringify(text)}`;
}
