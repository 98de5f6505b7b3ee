import { ok } from '../../finding.ts';
import type { Invariant } from '../../invariants.ts';
import type { Inspection } from '../../maintenance.ts';
import {
  brokenInvariant,
  type HeldLeases,
  invariantFindings,
  leaseFindings,
  SUBJECTS_LOOKED_AT,
  workersText,
} from '../../work-findings.ts';
import { INVARIANTS } from '../schema/invariants.ts';
import type { Sql } from '../sql.ts';
import type { View } from '../transactor.ts';
import { seeWorkers, type Watcher } from '../workers/seen-workers.ts';

/** Each fact that must hold of all rows; one finding for what holds, one for each that does not. */
export async function inspectRows(sql: Sql, check: Invariant['check']): Promise<readonly Inspection[]> {
  const broken: Inspection[] = [];
  for (const invariant of INVARIANTS.filter((one) => one.check === check)) {
    const rows = await sql.all<{ subject: string }>(`${invariant.sql} LIMIT ${SUBJECTS_LOOKED_AT}`);
    const subjects = rows.map(({ subject }) => subject);
    broken.push(...brokenInvariant(invariant, subjects));
  }
  return invariantFindings(check, broken);
}

const LEASES = `
SELECT s.lease_owner AS owner, s.run_id, r.state, count(*) AS held, count(*) FILTER (WHERE s.lease_expires_at_ms <= :nowMs) AS expired
FROM steps s JOIN runs r ON r.run_id = s.run_id WHERE s.state = 'running'
GROUP BY s.lease_owner, s.run_id, r.state ORDER BY s.run_id, s.lease_owner`;

/** Who works on the store, from whatever machine, and leases that nobody renews. */
export async function inspectWorkers(view: View, watcher: Watcher): Promise<readonly Inspection[]> {
  const held = await view.sql.all<HeldLeases>(LEASES, { nowMs: view.nowMs });
  const workers = await seeWorkers(view, watcher);
  return [ok('workers', workersText(workers)), ...leaseFindings(held, workers)];
}
