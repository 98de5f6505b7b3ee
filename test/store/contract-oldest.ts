import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, Clock, START_MS } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { failure, job } from './rows.ts';

/** How long work waits, and runs: for whoever watches the queue. */
export function oldestContract(name: string, open: OpenStore): void {
  describe(`${name}: the oldest work`, () => {
    let opened: OpenedStore;
    let bench: Bench;
    let clock: Clock;

    beforeEach(async () => {
      clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    it('is none of a run that nobody knows, or of which nothing is open', async () => {
      expect(await bench.store.oldestWork('r1')).toEqual({ queuedAtMs: null, runningAtMs: null });
      await bench.plan('r1', [job('j1', 0)]);
      await bench.complete(await bench.claimed('r1'));
      expect(await bench.store.oldestWork('r1')).toEqual({ queuedAtMs: null, runningAtMs: null });
    });

    it('is queued since it was planned, and runs since it was claimed', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      clock.pass(5000);
      expect(await bench.store.oldestWork('r1')).toEqual({ queuedAtMs: START_MS, runningAtMs: null });
      await bench.claimed('r1');
      clock.pass(5000);
      expect(await bench.store.oldestWork('r1')).toEqual({ queuedAtMs: START_MS, runningAtMs: START_MS + 5000 });
    });

    it('is not late before the time at which it is to be tried again', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const settled = await bench.fail(await bench.claimed('r1'), failure({ retryAfterMs: 10_000 }));
      const dueAtMs = settled.applied ? settled.retryAtMs : null;
      expect(dueAtMs).toBeGreaterThanOrEqual(START_MS + 10_000);
      expect(await bench.store.oldestWork('r1')).toEqual({ queuedAtMs: null, runningAtMs: null });
      clock.pass((dueAtMs ?? 0) - START_MS + 500);
      expect(await bench.store.oldestWork('r1')).toEqual({ queuedAtMs: dueAtMs, runningAtMs: null });
    });

    it('is that of the one run', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      clock.pass(1000);
      await bench.plan('r2', [job('j2', 0)]);
      expect(await bench.store.oldestWork('r2')).toEqual({ queuedAtMs: START_MS + 1000, runningAtMs: null });
    });
  });
}
