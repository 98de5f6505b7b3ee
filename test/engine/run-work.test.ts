import { afterEach, expect, test } from 'vitest';
import { createPool } from '../../src/engine/pool.ts';
import { workRun } from '../../src/engine/run-work.ts';
import { Bench, Clock } from '../store/bench.ts';
import { worker } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';
import { ASKING } from './asking.ts';

let opened: SqliteBench;
afterEach(() => opened.dispose());

test('a run is finished before its worker leaves: nobody sees one that is done and that nobody works on', async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  const { store } = opened;
  const bench = new Bench(store, clock);
  await bench.plan('r1', [], { manifest: ASKING });
  const atGoodbye: string[] = [];
  const watched = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'removeWorker') {
        return async (workerId: string) => {
          atGoodbye.push((await bench.run('r1')).state);
          return await target.removeWorker(workerId);
        };
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const never = new AbortController().signal;
  const pool = createPool(new URL('../../dist/engine/pool-worker.js', import.meta.url), { extract: 20_000, parse: 20_000, judge: 20_000 });
  const end = await workRun({
    store: watched,
    run: await bench.run('r1'),
    worker: worker('here'),
    pool,
    providers: { get: () => Promise.reject(new Error('nothing is asked')), close: async () => undefined },
    concurrency: 4,
    wait: false,
    signals: { stop: never, now: never },
    onEvent: () => undefined,
    now: Date.now,
    inFlight: { count: 0 },
    project: async () => undefined,
  });
  await pool.close();
  expect([end, atGoodbye]).toEqual([{ kind: 'drained' }, ['finished']]);
});
