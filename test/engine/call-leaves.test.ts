import { afterEach, expect, test } from 'vitest';
import { makeCall } from '../../src/engine/call.ts';
import type { Provider } from '../../src/providers/provider.ts';
import type { Claim } from '../../src/store/work.ts';
import { Bench, Clock } from '../store/bench.ts';
import { canonicalText, completion, job, TTL_MS } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';
import { ASKING } from './asking.ts';

let opened: SqliteBench;
afterEach(() => opened.dispose());

/** Makes the call of a claim; `meanwhile` happens after it is marked as sent, and takes as long as a freeze of the process. */
async function callFrozen(bench: Bench, claim: Claim, meanwhile: () => Promise<unknown>) {
  const { work } = claim;
  const { task, model } = { task: ASKING.tasks.task, model: ASKING.models.model };
  if (work.kind !== 'call' || task === undefined || model === undefined) throw new Error('nothing to call');
  let calls = 0;
  const complete: Provider['complete'] = async () => {
    calls += 1;
    return completion();
  };
  const provider: Provider = { ...NO_PROVIDER, complete };
  const never = new AbortController().signal;
  const { store } = bench;
  const frozen = {
    markSent: async (token: string) => {
      const sent = await store.markSent(token);
      await meanwhile();
      await new Promise((resolve) => setTimeout(resolve, 1100));
      return sent;
    },
    recordResponse: store.recordResponse.bind(store),
    holdsLease: store.holdsLease.bind(store),
    settle: store.settle.bind(store),
    noteFirstToken: store.noteFirstToken.bind(store),
  };
  const signals = { stop: never, now: never, cancel: never };
  const target = { task, model, document: canonicalText('text'), provider };
  const end = await makeCall({ claim, work }, target, { store: frozen, signals, onEvent: () => undefined, now: Date.now });
  return { end: end.kind, calls };
}

const NO_PROVIDER: Provider = {
  preflight: async () => null,
  complete: () => Promise.reject(new Error('not called')),
  close: async () => undefined,
};

async function claimed(): Promise<{ bench: Bench; claim: Claim }> {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  const bench = new Bench(opened.store, clock);
  await bench.plan('r1', [job('j1', 0)]);
  return { bench, claim: await bench.claimed('r1', 'w1') };
}

test('a process that is frozen between the mark and the call does not call when another has taken the step, and the call cost nothing', async () => {
  const { bench, claim } = await claimed();
  const taken = async () => {
    bench.clock.pass(TTL_MS);
    await bench.complete(await bench.claimed('r1', 'w2'));
  };
  expect(await callFrozen(bench, claim, taken)).toEqual({ end: 'lost', calls: 0 });
  const calls = (await bench.store.jobRecord('r1', 'j1'))?.calls ?? [];
  expect(calls.find(({ callToken }) => callToken === claim.token)).toMatchObject({ state: 'settled', costNanoUsd: 0 });
});

test('a process that was frozen there and still has its lease calls', async () => {
  const { bench, claim } = await claimed();
  expect(await callFrozen(bench, claim, async () => bench.clock.pass(TTL_MS))).toEqual({ end: 'completed', calls: 1 });
});
