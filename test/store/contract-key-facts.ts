import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RelatedQuestion } from '../../src/store/key-facts.ts';
import { Bench, Clock, START_MS } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { chunk, failure, job, sha256, step } from './rows.ts';

const QUESTION: RelatedQuestion = { documentId: 'a.md', task: 'task', promptSha256: 'of nothing', limit: 10 };

/** What is stored of a key, and which answers there are to questions like it. */
export function keyFactsContract(name: string, open: OpenStore): void {
  describe(`${name}: what is known of keys`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    const nearby = async (changes: Partial<RelatedQuestion> = {}) =>
      (await bench.store.relatedAnswers({ ...QUESTION, ...changes })).map(({ runId, key }) => `${runId} ${key}`);

    it('is where an answer was paid for, when it was stored, and what it cost', async () => {
      await bench.plan('r1', [job('j1', 0, { steps: [step('k')] })]);
      bench.clock.pass(5000);
      await bench.complete(await bench.claimed('r1'));
      const answer = { runId: 'r1', jobId: 'j1', imported: false, storedAtMs: START_MS + 5000, costNanoUsd: 5000 };
      expect(await bench.store.keyFacts(['k', 'other'])).toEqual(
        new Map([
          ['k', { answer, bad: null }],
          ['other', { answer: null, bad: null }],
        ]),
      );
    });

    it('is why a key is known to be bad, and whose call showed it', async () => {
      await bench.plan('r2', [job('j2', 0, { steps: [step('bad')] })]);
      await bench.fail(await bench.claimed('r2'), failure({ class: 'quality', reason: 'refused', message: 'no' }));
      const { answer, bad } = (await bench.store.keyFacts(['bad'])).get('bad') ?? {};
      expect([answer, bad?.reason, bad?.message]).toEqual([null, 'refused', 'no']);
    });

    it('are answers for the same document and task, of any model, newest run first', async () => {
      await bench.plan('r1', [job('j1', 0, { steps: [step('k1')] }), job('j2', 1, { model: 'other', steps: [step('k2')] })]);
      await bench.complete(await bench.claimed('r1'));
      await bench.complete(await bench.claimed('r1'));
      bench.clock.pass(1000);
      await bench.plan('r2', [job('j3', 0, { steps: [step('k3')] }), job('j4', 1, { task: 'task2', steps: [step('k4')] })]);
      await bench.complete(await bench.claimed('r2'));
      await bench.complete(await bench.claimed('r2'));
      expect(await nearby()).toEqual(['r2 k3', 'r1 k1', 'r1 k2']);
      expect(await nearby({ limit: 1 })).toEqual(['r2 k3']);
      expect(await nearby({ task: 'task2' })).toEqual(['r2 k4']);
      expect(await nearby({ documentId: 'b.md' })).toEqual([]);
    });

    it('come with the names, the text and the part that they were given to', async () => {
      const steps = [chunk('k0', 0), chunk('k1', 1)];
      await bench.plan('r1', [job('j1', 0, { steps })]);
      await bench.answer(await bench.claimed('r1'));
      await bench.answer(await bench.claimed('r1'));
      const found = await bench.store.relatedAnswers(QUESTION);
      const asked = { documentId: 'a.md', model: 'model', repeat: 0, textSha256: sha256('text of a.md') };
      expect(found.map(({ job: of, part, keyRecord }) => [of, part?.index, keyRecord])).toEqual(
        steps.map(({ keyRecord }, index) => [asked, index, keyRecord]),
      );
    });

    it('are not there before there is an answer, nor when it was dropped', async () => {
      await bench.plan('r1', [job('j1', 0, { steps: [step('k1')] })]);
      expect(await nearby()).toEqual([]);
      await bench.complete(await bench.claimed('r1'));
      await bench.store.invalidateCache({ model: null, namespace: null, endpoint: null, storedBeforeMs: null });
      expect(await nearby()).toEqual([]);
    });

    it('are found by their prompt where no run has asked for this document', async () => {
      const keyRecord = { endpoint: 'here', model: 'qwen', promptSha256: 'p', version: 1 };
      await bench.plan('r1', [job('j1', 0, { steps: [step('k1', { keyRecord })] })]);
      await bench.complete(await bench.claimed('r1'));
      const [found] = await bench.store.relatedAnswers({ ...QUESTION, documentId: 'renamed.md', promptSha256: 'p' });
      expect(found).toMatchObject({ runId: 'r1', key: 'k1', keyRecord, job: null, part: null });
    });
  });
}
