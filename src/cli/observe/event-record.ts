import { UserError } from '../../domain/errors.ts';
import { traceIdOf } from '../../domain/trace-id.ts';
import type { EngineEvent } from '../../engine/events.ts';
import type { LogRecord } from '../../observe/log/log-record.ts';
import type { RunOutcome } from '../display/outcome.ts';
import { EXIT } from '../exit-codes.ts';
import { isoTime } from '../terminal/format.ts';

/**
 * What the log holds of an event that is not of one piece of work; `null`: nothing, or it hears of that elsewhere. Free texts stay out:
 * they may hold words of a document or a server.
 */
export function eventRecord(event: EngineEvent): LogRecord | null {
  switch (event.kind) {
    case 'run.started': {
      const { runId, name, joined, jobs, cached } = event;
      const known = cached === null ? {} : { cached };
      return { level: 'info', event: event.kind, fields: { ...runFields(runId), name, joined, jobs, ...known } };
    }
    case 'retry.planned': {
      const { runId, jobs, otherJobs, calls } = event;
      return { level: 'info', event: event.kind, fields: { ...runFields(runId), jobs, other_jobs: otherJobs, calls } };
    }
    case 'document.failed':
      return { level: 'warn', event: event.kind, fields: { document: event.documentId, reason: event.reason } };
    case 'lane.paused': {
      const { provider, scope, model, failure, untilMs } = event;
      const until = untilMs === null ? null : isoTime(untilMs);
      const fields = { provider, scope, model, reason: failure.reason, status: failure.status ?? null, until };
      return { level: 'warn', event: event.kind, fields };
    }
    case 'stopping':
      return { level: 'warn', event: event.kind, fields: { in_flight: event.inFlight, now: event.now } };
    default:
      return null;
  }
}

/** What the log holds of a run that this process has done its part of. */
export function outcomeRecord({ run, verdict, exitCode, totals, stoppedBy, durationMs }: RunOutcome): LogRecord {
  const { jobs, results, cost, calls } = totals;
  const { pass, fail, review, error, open } = results;
  const spent = cost.spentNanoUsd === null ? null : cost.spentNanoUsd / 1e9;
  const stopped = stoppedBy.length === 0 ? null : [...new Set(stoppedBy.map(({ why }) => why))].join(',');
  const counts = { jobs: jobs.total, dlq: jobs.failed, pass, fail, review, error, open, calls };
  const fields = { ...runFields(run.runId), verdict, exit_code: exitCode, ...counts, spent_usd: spent, duration_ms: durationMs, stopped };
  return { level: exitCode === EXIT.pass ? 'info' : 'error', event: 'run.finished', fields };
}

/** What the log holds of an error that ends the command: its number, which the manual explains. */
export function errorRecord(error: unknown): LogRecord {
  const known = error instanceof UserError ? error : { code: 'E99', exitCode: EXIT.bug };
  return { level: 'error', event: 'command.failed', fields: { code: known.code, exit_code: known.exitCode } };
}

function runFields(runId: string) {
  return { run_id: runId, trace_id: traceIdOf(runId) };
}
