import { afterAll, it } from 'vitest';
import { INVARIANTS } from '../../../src/store/postgres/schema/invariants.ts';
import { Sql, Statements } from '../../../src/store/postgres/sql.ts';
import { renewLeases } from '../../../src/store/postgres/steps/alive.ts';
import { type Examined, examine } from '../model/property.ts';
import { TestSchemas } from './open-store.ts';

/** What the runs allow, from the first command to the last: as many calls at once, and no more money or tokens, come what may. */
const BOUNDS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'more running than the lane gives',
    sql: `SELECT gate AS subject FROM steps WHERE state = 'running' AND gate IS NOT NULL GROUP BY gate HAVING count(*) > 3`,
  },
  {
    name: 'a run above its budget in money',
    sql: `SELECT run_id AS subject FROM run_totals t JOIN runs r USING (run_id) GROUP BY run_id, r.settings
      HAVING sum(spent_nano_usd + reserved_nano_usd + uncertain_nano_usd + assumed_nano_usd) > (r.settings #>> '{budget,nanoUsd}')::bigint`,
  },
  {
    name: 'a run above its budget in tokens',
    sql: `SELECT run_id AS subject FROM run_totals t JOIN runs r USING (run_id) GROUP BY run_id, r.settings
      HAVING sum(input_tokens + output_tokens + reserved_tokens) > (r.settings #>> '{budget,tokens}')::bigint`,
  },
  {
    name: 'a group above its budget',
    sql: `SELECT g.group_name AS subject FROM group_totals g
      WHERE (SELECT count(*) FROM runs WHERE settings #>> '{budget,group,name}' = g.group_name) = 2 GROUP BY g.group_name
      HAVING sum(spent_nano_usd + reserved_nano_usd + uncertain_nano_usd) > (
        SELECT max((settings #>> '{budget,group,nanoUsd}')::bigint) FROM runs WHERE settings #>> '{budget,group,name}' = g.group_name)`,
  },
];

const BROKEN = [...INVARIANTS, ...BOUNDS].map(({ name, sql }) => `SELECT '${name}' AS name FROM (${sql}) broken`).join('\nUNION ');

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

async function open(): Promise<Examined> {
  const opened = await schemas.open(() => 0);
  const statements = new Statements();
  return {
    open: (clock, monotonic) => opened.another({ clock, monotonic }),
    beat: async (beat) => {
      const sql = new Sql(opened.db, statements);
      renewLeases(sql, beat);
      await sql.done();
    },
    // Nothing tells of its death but that it renews no more.
    kill: (store) => store.close(),
    broken: async () => (await opened.db.query<{ name: string }>(BROKEN)).rows.map(({ name }) => name),
    dispose: opened.dispose,
  };
}

it(
  'two to four processes on machines that freeze, sleep and kill: no lease is stolen, no answer bought twice, all work ends',
  { timeout: 900_000 },
  () => examine(open),
);
