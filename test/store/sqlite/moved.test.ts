import { renameSync, rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { Bench, Clock } from '../bench.ts';
import { job } from '../rows.ts';
import { openTempStore, type SqliteBench } from './open-store.ts';

let opened: SqliteBench;
afterEach(() => opened.dispose());

async function working(): Promise<Bench> {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  const bench = new Bench(opened.store, clock);
  await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
  return bench;
}

it.each([
  ['moved', (path: string) => renameSync(path, `${path}.elsewhere`)],
  ['removed', (path: string) => rmSync(path)],
])(
  'a database that was %s while it was in use gives no claim, and no call leaves: what it would say is lost to everyone',
  async (_, change) => {
    const bench = await working();
    const claim = await bench.claimed('r1', 'w1');
    change(opened.path);
    const refusal = { exitCode: 8, message: expect.stringContaining('was moved, removed or replaced while it was in use') };
    await expect(bench.store.markSent(claim.token)).rejects.toMatchObject(refusal);
    await expect(bench.claim('r1', 'w1')).rejects.toMatchObject(refusal);
  },
);

it('a database in whose place another was put gives no claim', async () => {
  const bench = await working();
  renameSync(opened.path, `${opened.path}.elsewhere`);
  await opened.another();
  await expect(bench.claim('r1', 'w1')).rejects.toMatchObject({ exitCode: 8 });
});
