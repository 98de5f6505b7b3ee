import type { Database } from 'better-sqlite3';
import { expect } from 'vitest';
import type { Bench } from '../../bench.ts';
import { sumsOf } from '../../bench.ts';

/** Every row of every table, as text: equal states give equal texts. Tokens are numbered in the order of their appearance. */
export function dump(db: Database, without: readonly string[] = []): string {
  const tables = db.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).pluck().all();
  const rows = tables.filter((table) => !without.includes(table)).flatMap((table) => [table, ...rowsOf(db, table)]);
  const seen = new Map<string, string>();
  // A run knows which database wrote its folder's name; these are copies of one, side by side.
  const text = rows.join('\n').replaceAll(db.name, 'the database');
  return text.replace(/token-\d+/g, (token) => {
    const known = seen.get(token) ?? `token ${seen.size + 1}`;
    seen.set(token, known);
    return known;
  });
}

function rowsOf(db: Database, table: string): string[] {
  const rows = db.prepare(`SELECT * FROM "${table}"`).all();
  return rows.map((row) => JSON.stringify(row)).sort();
}

/** What holds in every state that a death may leave, and in every later one. */
const BROKEN = `
SELECT 'two flights of one key' FROM steps WHERE state = 'running' AND key IS NOT NULL GROUP BY flight_key HAVING count(*) > 1
UNION ALL SELECT 'an open call without a lease' FROM calls c
  WHERE c.state IN ('reserved', 'sent') AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_token = c.call_token AND s.state = 'running')
UNION ALL SELECT 'an open job whose state is not that of its steps' FROM jobs j
  WHERE j.state IN ('queued', 'running') AND (j.state = 'running') <> EXISTS (
    SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.state = 'running')
UNION ALL SELECT 'an open job without an open step' FROM jobs j
  WHERE j.state IN ('queued', 'running') AND NOT EXISTS (
    SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.state IN ('queued', 'running', 'waiting'))
UNION ALL SELECT 'a queued step of an ended job' FROM steps s JOIN jobs j USING (run_id, job_id)
  WHERE s.state IN ('queued', 'waiting') AND j.state IN ('succeeded', 'failed', 'cancelled')
UNION ALL SELECT 'a planned run without all its jobs' FROM runs r
  WHERE r.state = 'open' AND (SELECT count(*) FROM jobs j WHERE j.run_id = r.run_id) <> 4
UNION ALL SELECT 'two current answers of one key' FROM steps WHERE outcome IN ('answered', 'cached')
  GROUP BY run_id, key HAVING count(DISTINCT call_token) > 1
UNION ALL SELECT 'a current answer that was never found valid' FROM steps s LEFT JOIN responses r USING (call_token)
  WHERE s.outcome IN ('answered', 'cached') AND r.judgement IS NOT 'valid'
UNION ALL SELECT 'a cached answer that was never found valid' FROM cache c JOIN responses r USING (call_token) WHERE r.judgement <> 'valid'
UNION ALL SELECT 'files of a job that has not ended' FROM jobs WHERE artifacts_at_ms IS NOT NULL AND ended_at_ms IS NULL`;

/** The file is whole, the rows are true, and the totals are their sums. */
export async function expectSound(db: Database, { store }: Bench, runIds: readonly string[]): Promise<void> {
  expect(db.pragma('quick_check', { simple: true })).toBe('ok');
  expect(db.pragma('foreign_key_check')).toEqual([]);
  expect(db.prepare(BROKEN).pluck().all()).toEqual([]);
  for (const runId of runIds) {
    const { jobs, calls, attempts, cacheHits, tokens } = await store.runTotals(runId);
    const { total, ...states } = jobs;
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(total);
    expect({ jobs, calls, attempts, cacheHits, tokens }).toEqual(await sumsOf(store, runId));
  }
}

const SENT = `
SELECT s.kind || ' ' || s.key AS call, count(*) AS count FROM calls c JOIN steps s USING (step_id)
WHERE c.state IN ('sent', 'settled', 'unknown') GROUP BY 1`;

/** The ledger knows of every call that was made; of more only when a process died between `sent` and the call. */
export function expectLedgerCovers(db: Database, calls: readonly string[]): void {
  const sent = new Map(
    db
      .prepare<[], { call: string; count: number }>(SENT)
      .all()
      .map(({ call, count }) => [call, count]),
  );
  for (const [call, count] of counted(calls)) expect([call, (sent.get(call) ?? 0) >= count]).toEqual([call, true]);
}

const ANSWERED = `SELECT DISTINCT r.step_kind || ' ' || r.key FROM responses r`;

/** The questions whose answer is stored: nobody may ask them again. */
export function storedAnswers(db: Database): readonly string[] {
  return db.prepare<[], string>(ANSWERED).pluck().all();
}

function counted(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
