import type { SpoolRecord } from '../../spool/spool-file.ts';
import type { Fate } from '../../spool/spool-intake.ts';
import { runFacts } from '../runs/run-facts.ts';
import type { Tx } from '../transactor.ts';
import { recordResponse } from './responses.ts';
import { handBack } from './settle.ts';
import { stepOfLease } from './step-row.ts';

const SELECT_FATE = `
SELECT EXISTS (SELECT 1 FROM responses WHERE call_token = :token) AS stored,
  EXISTS (SELECT 1 FROM calls WHERE call_token = :token) AS known`;

/**
 * Stores one answer that was kept outside the database, once. A step that still waits for it goes back to the queue at once: it is judged
 * without a call, and its lease would only make that late.
 */
export function recordSpooled(tx: Tx, { token, completion }: SpoolRecord): Fate {
  const fate = tx.sql.one<{ stored: 0 | 1; known: 0 | 1 }>(SELECT_FATE, { token });
  if (fate?.stored === 1) return 'stored';
  if (fate?.known !== 1) return 'unknown';
  recordResponse(tx, token, completion);
  const step = stepOfLease(tx.sql, token);
  if (step !== undefined) handBack({ tx, run: runFacts(tx.sql, step.runId), step, token });
  return 'taken';
}
