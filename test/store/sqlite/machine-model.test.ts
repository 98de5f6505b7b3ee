import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import type { Invariant } from '../../../src/store/invariants.ts';
import { INVARIANTS } from '../../../src/store/sqlite/schema/invariants.ts';
import { renewLeases } from '../../../src/store/sqlite/workers/renew.ts';
import { type Examined, examine } from '../model/property.ts';
import { openTempStore } from './open-store.ts';

/** What the runs allow, from the first command to the last: as many calls at once, and no more money or tokens, come what may. */
const BOUNDS: readonly Pick<Invariant, 'name' | 'sql'>[] = [
  {
    name: 'more running than the lane gives',
    sql: `SELECT gate FROM steps WHERE state = 'running' AND gate IS NOT NULL GROUP BY gate HAVING count(*) > 3`,
  },
  {
    name: 'a run above its budget in money',
    sql: `SELECT run_id FROM run_totals t JOIN runs r USING (run_id) WHERE r.settings ->> '$.budget.nanoUsd' IS NOT NULL GROUP BY run_id
      HAVING sum(spent_nano_usd + reserved_nano_usd + uncertain_nano_usd + assumed_nano_usd) > r.settings ->> '$.budget.nanoUsd'`,
  },
  {
    name: 'a run above its budget in tokens',
    sql: `SELECT run_id FROM run_totals t JOIN runs r USING (run_id) WHERE r.settings ->> '$.budget.tokens' IS NOT NULL GROUP BY run_id
      HAVING sum(input_tokens + output_tokens + reserved_tokens) > r.settings ->> '$.budget.tokens'`,
  },
  {
    name: 'a group above its budget',
    sql: `SELECT g.group_name FROM group_totals g WHERE EXISTS (SELECT 1 FROM runs WHERE settings ->> '$.budget.group.name' = g.group_name)
      AND (SELECT count(*) FROM runs WHERE settings ->> '$.budget.group.name' = g.group_name) = 2 GROUP BY g.group_name
      HAVING sum(spent_nano_usd + reserved_nano_usd + uncertain_nano_usd) > (
        SELECT max(settings ->> '$.budget.group.nanoUsd') FROM runs WHERE settings ->> '$.budget.group.name' = g.group_name)`,
  },
];

async function open(): Promise<Examined> {
  const opened = await openTempStore(() => 0);
  const broken = [...INVARIANTS, ...BOUNDS].map(({ name, sql }) => ({ name, statement: opened.db.prepare(sql) }));
  return {
    open: (clock, monotonic) => opened.another({ clock, monotonic }),
    beat: (beat) => renewLeases(opened.db, beat),
    kill: async (store, workerId) => {
      await store.close();
      // The kernel frees a lock and leaves its file.
      writeFileSync(`${opened.path}.workers/${workerId}.lock`, '');
    },
    broken: () => broken.filter(({ statement }) => statement.all().length > 0).map(({ name }) => name),
    dispose: opened.dispose,
  };
}

it(
  'two to four processes on a machine that freezes, sleeps and kills: no lease is stolen, no answer bought twice, all work ends',
  {
    timeout: 300_000,
  },
  () => examine(open),
);
