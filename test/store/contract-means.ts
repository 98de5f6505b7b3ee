import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, Clock } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { completion, FREE_ERROR, failure, job, step, USAGE } from './rows.ts';

/** How long answers were: what a plan expects of the next ones. */
export function meansContract(name: string, open: OpenStore): void {
  describe(`${name}: the length of answers`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    const ask = (key: string, task: string, model: string) =>
      job(key, 0, { task, model: 'any', steps: [step(key, { keyRecord: { endpoint: 'here', model, version: 1 } })] });

    /** A run whose one call is answered with so many tokens. */
    async function answered(runId: string, task: string, model: string, output: number): Promise<void> {
      await bench.plan(runId, [ask(`key of ${runId}`, task, model)]);
      const claim = await bench.claimed(runId);
      const usage = { ...USAGE, output };
      await bench.store.markSent(claim.token);
      await bench.store.recordResponse(claim.token, { ...completion(), usage });
      const call = { state: 'settled', usage, costNanoUsd: 1 } as const;
      await bench.store.settle(claim.token, { kind: 'answered', callToken: claim.token, answer: {}, repaired: false, call });
    }

    it('is unknown before the first one', async () => {
      expect(await bench.store.outputMeans()).toEqual([]);
    });

    it('is the mean over all runs, for each task and each model by the name that its provider gives it', async () => {
      await answered('r1', 'claims', 'qwen', 10);
      await answered('r2', 'claims', 'qwen', 25);
      await answered('r3', 'claims', 'llama', 7);
      await answered('r4', 'faults', 'qwen', 9);
      expect(await bench.store.outputMeans()).toEqual([
        { task: 'claims', model: 'llama', tokens: 7, calls: 1 },
        { task: 'claims', model: 'qwen', tokens: 17.5, calls: 2 },
        { task: 'faults', model: 'qwen', tokens: 9, calls: 1 },
      ]);
    });

    it('is not shortened by calls that were not answered', async () => {
      await answered('r1', 'claims', 'qwen', 10);
      await bench.plan('r2', [ask('key of r2', 'claims', 'qwen')]);
      const claim = await bench.claimed('r2');
      await bench.store.markSent(claim.token);
      await bench.store.settle(claim.token, { kind: 'failed', callToken: claim.token, failure: failure(), call: FREE_ERROR });
      expect(await bench.store.outputMeans()).toEqual([{ task: 'claims', model: 'qwen', tokens: 10, calls: 1 }]);
    });
  });
}
