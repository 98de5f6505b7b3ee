import type { RunFacts } from '../../run-facts.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx, View } from '../transactor.ts';

const NOTE_ACTIVE = `
UPDATE run_progress SET seen_at_ms = :nowMs,
  active_ms = active_ms + CASE WHEN EXISTS (SELECT 1 FROM steps WHERE run_id = :runId AND state = 'running')
    THEN greatest(0, least(:nowMs - coalesce(seen_at_ms, :nowMs), :deadlineMs)) ELSE 0 END
WHERE run_id = :runId`;

/**
 * The time since this was last said counts, as long as a step of the run was running: not while nothing could be asked, or nobody
 * worked on it. Called before what is seen changes what is running.
 */
export function noteActive(tx: Tx, { runId, settings }: RunFacts): void {
  tx.sql.send(NOTE_ACTIVE, { runId, nowMs: tx.nowMs, deadlineMs: settings.lease.deadlineMs });
}

const PROGRESS = `SELECT active_ms, failures - failures_before AS failed FROM run_progress WHERE run_id = :runId`;

/** Time in which somebody worked on the run, up to the last time that it was noted, and jobs that failed since a person last started it. */
export async function progressOf({ sql }: View, runId: string): Promise<{ readonly activeMs: number; readonly failed: number }> {
  return (await sql.one<{ activeMs: number; failed: number }>(PROGRESS, { runId })) ?? { activeMs: 0, failed: 0 };
}

const START_ANEW = `UPDATE run_progress SET failures_before = failures WHERE run_id = :runId`;

/** A person started the run, or asked again for what had failed: failures count from here on. */
export function startAnew(tx: Tx, runId: string): void {
  tx.sql.send(START_ANEW, { runId });
}

export const PROGRESS_STATEMENTS: StoredTexts = { rows: { PROGRESS }, changes: { NOTE_ACTIVE } };
