import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect } from 'vitest';
import { INVARIANTS } from '../../../src/store/sqlite/schema/invariants.ts';
import { hereJson } from '../here.ts';
import type { Project } from '../project.ts';
import type { ScriptableProvider } from './scriptable-provider.ts';

export type LedgerCall = {
  readonly state: 'reserved' | 'sent' | 'settled' | 'released' | 'unknown';
  readonly costNanoUsd: number | null;
  readonly worstNanoUsd: number | null;
  readonly wasSent: number;
};

const CALLS = `
SELECT state, cost_nano_usd AS costNanoUsd, worst_nano_usd AS worstNanoUsd, state IN ('sent', 'settled', 'unknown') AS wasSent
FROM calls ORDER BY reserved_at_ms`;

/** Reads the project's database beside whoever writes it. */
export function read<Row>({ dir }: Project, sql: string): Row[] {
  const db = new BetterSqlite3(join(dir, '.aieval', 'aieval.db'), { readonly: true });
  try {
    return db.prepare<[], Row>(sql).all();
  } finally {
    db.close();
  }
}

export function calls(place: Project): LedgerCall[] {
  return read<LedgerCall>(place, CALLS);
}

export type Attempt = { readonly outcome: string; readonly counted: number; readonly reason: string | null; readonly class: string | null };

const ATTEMPTS = `
SELECT outcome, counted, failure ->> 'reason' AS reason, failure ->> 'class' AS class FROM attempts ORDER BY started_at_ms, rowid`;

export function attempts(place: Project): Attempt[] {
  return read<Attempt>(place, ATTEMPTS);
}

/**
 * What holds when all is at rest, whatever the server did: each request that it saw is one row of the ledger, the sum over the rows is what
 * it bills, nothing stays reserved, and the store's own invariants hold. `untoldNanoUsd`: what it bills for answers that never told so;
 * their calls stay uncertain, for at least as much. Returns what is spent and uncertain.
 */
export function expectLedgerToAgree(place: Project, provider: ScriptableProvider, untoldNanoUsd = 0): { spent: number; uncertain: number } {
  const rows = calls(place);
  expect(rows.filter(({ wasSent }) => wasSent === 1)).toHaveLength(provider.requests.length);
  expect(rows.filter(({ state }) => state === 'reserved' || state === 'sent')).toEqual([]);
  const spent = sum(rows.filter(({ state }) => state === 'settled').map(({ costNanoUsd }) => costNanoUsd ?? 0));
  const uncertain = sum(rows.filter(({ state }) => state === 'unknown').map(({ worstNanoUsd }) => worstNanoUsd ?? 0));
  expect(spent).toBe(provider.billedNanoUsd() - untoldNanoUsd);
  expect(uncertain).toBeGreaterThanOrEqual(untoldNanoUsd);
  expect(nothingReserved(place)).toEqual({});
  for (const { name, sql } of INVARIANTS) expect({ name, broken: read(place, sql) }).toEqual({ name, broken: [] });
  return { spent, uncertain };
}

/** The same, and that `status` of the one run of the project says so. */
export async function expectBooksToAgree(place: Project, provider: ScriptableProvider, untoldNanoUsd = 0): Promise<void> {
  const { spent, uncertain } = expectLedgerToAgree(place, provider, untoldNanoUsd);
  const { cost } = await hereJson(place, 'status');
  const settled = calls(place).filter(({ state }) => state === 'settled');
  const isUnknown = settled.length > 0 && settled.every(({ costNanoUsd }) => costNanoUsd === null);
  expect(cost).toMatchObject({ spentUsd: isUnknown ? null : spent / 1e9, reservedUsd: 0, uncertainUsd: uncertain / 1e9 });
}

/** Every stored sum of reservations that is not zero, by table and column. */
function nothingReserved(place: Project): Record<string, number> {
  const columns = read<{ readonly place: string; readonly sql: string }>(place, RESERVED_COLUMNS);
  const sums = columns.map(({ place: column, sql }) => [column, read<{ readonly total: number }>(place, sql)[0]?.total ?? 0] as const);
  return Object.fromEntries(sums.filter(([, total]) => total !== 0));
}

/** Tokens stay reserved where nobody will ever know them: of calls of unknown outcome. */
const RESERVED_COLUMNS = `
SELECT m.name || '.' || c.name AS place, 'SELECT total(' || c.name || ') AS total FROM ' || m.name AS sql
FROM sqlite_schema m JOIN pragma_table_info(m.name) c
WHERE m.type = 'table' AND c.name LIKE 'reserved%' AND c.name NOT LIKE '%_at_ms'
  AND NOT (c.name = 'reserved_tokens' AND EXISTS (SELECT 1 FROM calls WHERE state = 'unknown'))`;

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
