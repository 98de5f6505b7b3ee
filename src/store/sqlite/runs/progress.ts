import type { RunFacts } from '../../run-facts.ts';
import type { Tx, View } from '../transactor.ts';

const NOTE_ACTIVE = `
UPDATE run_progress SET seen_at_ms = :nowMs,
  active_ms = active_ms + iif(EXISTS (SELECT 1 FROM steps WHERE run_id = :runId AND state = 'running'),
    max(0, min(:nowMs - coalesce(seen_at_ms, :nowMs), :deadlineMs)), 0)
WHERE run_id = :runId`;

/**
 * The time since this was last said counts, as long as a step of the run was running: not while nothing could be asked, or nobody
 * worked on it. Called before what is seen changes what is running.
 */
export function noteActive(tx: Tx, { runId, settings }: RunFacts): void {
  tx.sql.run(NOTE_ACTIVE, { runId, nowMs: tx.nowMs, deadlineMs: settings.lease.deadlineMs });
}

const ACTIVE = `SELECT active_ms AS activeMs FROM run_progress WHERE run_id = :runId`;

/** Time in which somebody worked on the run, up to the last time that it was noted. */
export function activeMs({ sql }: View, runId: string): number {
  return sql.one<{ activeMs: number }>(ACTIVE, { runId })?.activeMs ?? 0;
}

const FAILED = `SELECT failures - failures_before AS failed FROM run_progress WHERE run_id = :runId`;

/** Jobs that failed since a person last started the run. */
export function failures({ sql }: View, runId: string): number {
  return sql.one<{ failed: number }>(FAILED, { runId })?.failed ?? 0;
}

/** Whether those are as many as the run allows. */
export function failedEnough(view: View, { runId, settings }: RunFacts): boolean {
  return settings.failFast !== null && failures(view, runId) >= settings.failFast.afterFailures;
}

const START_ANEW = `UPDATE run_progress SET failures_before = failures WHERE run_id = :runId`;

/** A person started the run, or asked again for what had failed: failures count from here on. */
export function startAnew(tx: Tx, runId: string): void {
  tx.sql.run(START_ANEW, { runId });
}
