import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewJob, NewRun } from '../../src/store/plan-rows.ts';
import type { Store } from '../../src/store/store.ts';
import { Bench, Clock } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { document, failure, jobOfKey, MANIFEST, newRun, settings } from './rows.ts';

const DLQ = { of: 'dlq', jobIds: null, reasons: null } as const;
const FULL = { code: 'E48', exitCode: 7 };
const BAD = failure({ class: 'permanent', reason: 'bad_request' });

/** How many jobs may wait in a store: a new run, or a retry, is let in whole or not at all. */
export function queueContract(name: string, open: OpenStore): void {
  describe(`${name}: depth of the queue`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    const jobs = (run: string, count: number): readonly NewJob[] =>
      Array.from({ length: count }, (_, seq) => jobOfKey(`${run}-${seq}`, seq, `key ${run} ${seq}`));
    /** A run of so many jobs, of which so many may wait in the store in all. */
    const ofJobs = (runId: string, plannedJobs: number, maxQueueDepth: number | null, changes: Partial<NewRun> = {}): NewRun =>
      newRun(runId, { settings: settings({ plannedJobs }), manifest: { ...MANIFEST, maxQueueDepth }, ...changes });
    const runIds = async () => (await bench.store.listRuns()).map(({ runId }) => runId).sort();

    async function planned(runId: string, count: number, store: Store = bench.store): Promise<void> {
      await store.addDocuments(runId, [document('a.md')]);
      await store.addJobs(runId, jobs(runId, count));
      await store.markPlanned(runId);
    }

    it('counts what waits and runs of all runs, and what of a run is still to be planned', async () => {
      await bench.plan('r1', jobs('r1', 3));
      await bench.claimed('r1');
      await bench.store.openRun(ofJobs('r2', 4, 7));
      await bench.store.addDocuments('r2', [document('a.md')]);
      await bench.store.addJobs('r2', jobs('r2', 2));
      const one = bench.store.openRun(ofJobs('r3', 1, 7));
      await expect(one).rejects.toMatchObject({
        ...FULL,
        message: expect.stringMatching(/7 jobs wait or run \(r2: 4, r1: 3\), and 1 more .* = 7/),
      });
      expect(await runIds()).toEqual(['r1', 'r2']);
      await bench.store.openRun(ofJobs('r3', 1, 8));
      await bench.store.openRun(ofJobs('r4', 1000, null));
    });

    it('what has ended, failed or was cancelled waits no more', async () => {
      await bench.plan('r1', jobs('r1', 3));
      await bench.fail(await bench.claimed('r1'), BAD);
      await expect(bench.store.openRun(ofJobs('r2', 1, 2))).rejects.toMatchObject(FULL);
      await bench.store.cancelRun('r1');
      await bench.store.openRun(ofJobs('r2', 2, 2));
      await planned('r2', 2);
      await expect(bench.store.openRun(ofJobs('r3', 1, 2))).rejects.toMatchObject(FULL);
    });

    it('a run that is there is joined, however many wait', async () => {
      await bench.store.openRun(ofJobs('r1', 5, 5, { identity: 'same' }));
      expect(await bench.store.openRun(ofJobs('r2', 5, 1, { identity: 'same' }))).toMatchObject({ joined: true, run: { runId: 'r1' } });
      await planned('r1', 5);
      expect(await bench.store.openRun(ofJobs('r2', 5, 1, { identity: 'same' }))).toMatchObject({ joined: true });
    });

    it('a refused run leaves the one whose identity it wanted as it is', async () => {
      await bench.plan('r1', jobs('r1', 3), { identity: 'same' });
      const forced = bench.store.openRun(ofJobs('r2', 3, 5, { identity: 'same', forceNew: true }));
      await expect(forced).rejects.toMatchObject(FULL);
      expect(await bench.run('r1')).toMatchObject({ holdsIdentity: true });
    });

    it('a retry is refused whole, and changes nothing', async () => {
      await bench.plan('r1', jobs('r1', 2));
      for (let time = 0; time < 2; time += 1) await bench.fail(await bench.claimed('r1'), BAD);
      await bench.store.finishRun('r1');
      await bench.plan('r2', jobs('r2', 3));
      await expect(bench.store.retryJobs('r1', DLQ, { maxQueueDepth: 4 })).rejects.toMatchObject(FULL);
      expect(await bench.run('r1')).toMatchObject({ state: 'finished' });
      expect(await bench.store.retryJobs('r1', DLQ, { maxQueueDepth: 5 })).toEqual({ requeued: 2 });
    });

    it('of two that come at the same moment, and fit each alone, one is let in', async () => {
      const other = await opened.another();
      await bench.plan('r0', jobs('r0', 2));
      const runs = ['r1', 'r2', 'r3', 'r4'].map((runId, at) => (at % 2 === 0 ? bench.store : other).openRun(ofJobs(runId, 3, 5)));
      const outcomes = await Promise.allSettled(runs);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(FULL);
    });
  });
}
