import { openLanes } from '../steps/pauses.ts';
import type { Tx } from '../transactor.ts';
import { hintAtWork } from '../work-hint.ts';

const PAUSE = `UPDATE runs SET state = 'paused' WHERE run_id = :runId AND state IN ('planning', 'open')`;

/** Nothing more of the run is claimed; what runs finishes. */
export async function pauseRun(tx: Tx, runId: string): Promise<{ changed: boolean }> {
  return { changed: (await tx.sql.run(PAUSE, { runId })) === 1 };
}

const RESUME = `
UPDATE runs SET state = CASE WHEN planned_at_ms IS NULL THEN 'planning' ELSE 'open' END WHERE run_id = :runId AND state = 'paused'`;

const IS_UNFINISHED = `SELECT 1 AS found FROM runs WHERE run_id = :runId AND state IN ('planning', 'open', 'paused')`;

/**
 * The run goes on where it was: its plan may have become whole meanwhile. A person knows better than a provider that asked to wait: it
 * may be asked again.
 */
export async function resumeRun(tx: Tx, runId: string): Promise<{ changed: boolean }> {
  if ((await tx.sql.one(IS_UNFINISHED, { runId })) === undefined) return { changed: false };
  hintAtWork(tx);
  const opened = await openLanes(tx, runId, { all: true });
  return { changed: (await tx.sql.run(RESUME, { runId })) === 1 || opened };
}
