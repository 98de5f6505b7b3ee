import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { INVARIANTS } from '../../../src/store/sqlite/schema/invariants.ts';
import { renewLeases } from '../../../src/store/sqlite/workers/renew.ts';
import { type Examined, examine } from '../model/property.ts';
import { openTempStore } from './open-store.ts';

async function open(): Promise<Examined> {
  const opened = await openTempStore(() => 0);
  const broken = INVARIANTS.map(({ name, sql }) => ({ name, statement: opened.db.prepare(sql) }));
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
