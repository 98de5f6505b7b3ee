import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallWatch } from '../../src/engine/call-watch.ts';
import { createPool, type Pool } from '../../src/engine/pool.ts';
import { createProviderSet, type ProviderSet } from '../../src/engine/provider-set.ts';
import { workRun } from '../../src/engine/run-work.ts';
import { createOpenAiProvider } from '../../src/providers/openai.ts';
import { answerJson, hang, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { Bench, Clock } from '../store/bench.ts';
import { job, sha256, worker } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';
import { ASKING } from './asking.ts';

/** Built code: threads cannot run TypeScript. */
const WORKER = new URL('../../dist/engine/pool-worker.js', import.meta.url);
const LIMITS = { extract: 20_000, parse: 20_000, judge: 20_000 };

let opened: SqliteBench;
let bench: Bench;
let pool: Pool;
let server: ScriptedServer;
let providers: ProviderSet;
let answerOther: () => void;

beforeEach(async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  bench = new Bench(opened.store, clock);
  pool = createPool(WORKER, LIMITS);
  const released = new Promise<void>((resolve) => {
    answerOther = resolve;
  });
  server = await startScriptedServer({
    respond: async ({ prompt }) => {
      if (prompt.includes('text of a.md')) return hang();
      await released;
      return answerJson({});
    },
  });
  providers = createProviderSet(ASKING, async () =>
    createOpenAiProvider({ baseUrl: server.baseUrl, apiKey: null, headers: {}, stream: true, connections: 4, clock: Date.now }),
  );
});
afterEach(async () => {
  await providers.close();
  await server.close();
  await pool.close();
  await opened.dispose();
});

test('a call whose job another process cancels now is ended, and the others go on', async () => {
  await bench.plan('r1', [job('j1', 0), job('j2', 1, { documentId: 'b.md', textSha256: sha256('text of b.md') })], { manifest: ASKING });
  const never = new AbortController().signal;
  const work = workRun({
    store: bench.store,
    run: await bench.run('r1'),
    worker: worker('here'),
    pool,
    providers,
    concurrency: 4,
    wait: false,
    signals: { stop: never, now: never },
    onEvent: () => undefined,
    now: Date.now,
    inFlight: { count: 0 },
    project: async () => undefined,
  });
  await vi.waitFor(() => expect(server.requests).toHaveLength(2), 20_000);
  const elsewhere = await opened.another();
  await elsewhere.cancelJobs('r1', ['j1'], { now: true });
  await server.requests.find(({ prompt }) => prompt.includes('text of a.md'))?.gone;
  await vi.waitFor(async () => expect(await bench.states('r1')).toEqual(['cancelled', 'running']), 20_000);
  answerOther();
  expect(await work).toEqual({ kind: 'drained' });
  expect(await bench.store.jobRecord('r1', 'j1')).toMatchObject({
    job: { state: 'cancelled', attempts: 0 },
    attempts: [{ outcome: 'failed', failure: { class: 'rate', reason: 'cancelled', message: 'cancelled while the call was running' } }],
    calls: [{ state: 'unknown' }],
  });
  expect(await bench.row('r1', 'j2')).toMatchObject({ state: 'succeeded', calls: 1 });
  expect((await bench.run('r1')).state).toBe('finished');
  expect(getEventListeners(never, 'abort')).toEqual([]);
});

test('a call in flight still hears that it is to end after a look has failed', async () => {
  const broken = new Error('the disk is full');
  const replies = [() => Promise.reject(broken), () => Promise.resolve([]), () => Promise.resolve(['first'])];
  const watch = new CallWatch({ leasesToEnd: () => replies.shift()?.() ?? Promise.resolve([]) }, 'here');
  const signal = watch.begin('first');
  await vi.waitFor(() => expect(() => watch.begin('next')).toThrow(broken), 20_000);
  await vi.waitFor(() => expect(signal.aborted).toBe(true), 20_000);
  expect(watch.begin('next').aborted).toBe(false);
  watch.end('first');
  watch.end('next');
});

test('a worker that cannot hear what is to be ended begins no other call', async () => {
  const other = await opened.another();
  await other.close();
  const watch = new CallWatch(other, 'here');
  const signal = watch.begin('first');
  await vi.waitFor(() => expect(() => watch.begin('next')).toThrow(), 20_000);
  expect(signal.aborted).toBe(false);
});
