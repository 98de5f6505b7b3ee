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

    const ask = (key: string, task: string, model: string, endpoint = 'here') =>
      job(key, 0, { task, model: 'any', steps: [step(key, { keyRecord: { endpoint, model, version: 1 } })] });

    /** A run whose one call is answered with so many tokens. */
    async function answered(
      runId: string,
      task: string,
      model: string,
      output: number,
      { endpoint = 'here', latencyMs }: { readonly endpoint?: string; readonly latencyMs?: number } = {},
    ): Promise<void> {
      await bench.plan(runId, [ask(`key of ${runId}`, task, model, endpoint)]);
      const claim = await bench.claimed(runId);
      const usage = { ...USAGE, output };
      await bench.store.markSent(claim.token);
      await bench.store.recordResponse(claim.token, { ...completion(), usage });
      const timed = latencyMs === undefined ? {} : { timing: { latencyMs, firstTokenMs: null } };
      const call = { state: 'settled', usage, costNanoUsd: 1, ...timed } as const;
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
        { task: 'claims', model: 'llama', endpoint: 'here', tokens: 7, latencyMs: null, calls: 1 },
        { task: 'claims', model: 'qwen', endpoint: 'here', tokens: 17.5, latencyMs: null, calls: 2 },
        { task: 'faults', model: 'qwen', endpoint: 'here', tokens: 9, latencyMs: null, calls: 1 },
      ]);
    });

    it('comes with how long they took, apart for each place where the model was asked', async () => {
      await answered('r1', 'claims', 'qwen', 10, { endpoint: 'here', latencyMs: 2000 });
      await answered('r2', 'claims', 'qwen', 10, { endpoint: 'here', latencyMs: 4000 });
      await answered('r3', 'claims', 'qwen', 20, { endpoint: 'there', latencyMs: 100 });
      expect(await bench.store.outputMeans()).toEqual([
        { task: 'claims', model: 'qwen', endpoint: 'here', tokens: 10, latencyMs: 3000, calls: 2 },
        { task: 'claims', model: 'qwen', endpoint: 'there', tokens: 20, latencyMs: 100, calls: 1 },
      ]);
    });

    it('is not shortened by calls that were not answered', async () => {
      await answered('r1', 'claims', 'qwen', 10);
      await bench.plan('r2', [ask('key of r2', 'claims', 'qwen')]);
      const claim = await bench.claimed('r2');
      await bench.store.markSent(claim.token);
      await bench.store.settle(claim.token, { kind: 'failed', callToken: claim.token, failure: failure(), call: FREE_ERROR });
      expect(await bench.store.outputMeans()).toMatchObject([{ task: 'claims', model: 'qwen', tokens: 10, calls: 1 }]);
    });
  });
}
