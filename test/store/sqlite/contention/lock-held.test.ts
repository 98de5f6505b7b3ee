import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { createOpenAiProvider } from '../../../../src/providers/openai.ts';
import { NEVER, request } from '../../../providers/requests.ts';
import { Bench, Clock } from '../../bench.ts';
import { job } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

const HOLDER = fileURLToPath(new URL('./hold-and-stream.mjs', import.meta.url));
const HOLD_MS = 5000;
const TICK_MS = 20;
const IDLE_MS = 1000;

let opened: SqliteBench;
let holder: ChildProcess | undefined;
afterEach(async () => {
  holder?.kill('SIGKILL');
  await opened.dispose();
});

/** The longest that the event loop of this process did nothing else, until `work` is done. */
async function longestGap(work: Promise<unknown>): Promise<number> {
  let lastMs = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - lastMs);
    lastMs = performance.now();
  }, TICK_MS);
  await work.finally(() => clearInterval(timer));
  return longest;
}

it('a write lock held elsewhere for 5 s neither blocks the event loop nor ends a healthy stream, and the writes follow', async () => {
  opened = await openTempStore(Date.now);
  const bench = new Bench(opened.store, new Clock());
  await bench.plan('r1', [job('j1', 0)]);
  const claim = await bench.claimed('r1');
  const started = spawn(process.execPath, [HOLDER, opened.path, String(HOLD_MS)], { stdio: ['ignore', 'pipe', 'inherit'] });
  holder = started;
  const [port] = await once(started.stdout, 'data');
  const options = { apiKey: 'sk-test', headers: {}, stream: true, connections: 4, clock: Date.now };
  const provider = createOpenAiProvider({ ...options, baseUrl: `http://127.0.0.1:${String(port).trim()}/v1` });
  const timeouts = { connectMs: 20_000, firstTokenMs: 20_000, idleMs: IDLE_MS, totalMs: 60_000 };
  const startedAtMs = performance.now();
  const answer = provider.complete(request({ timeouts }), NEVER);
  await new Promise((resolve) => setTimeout(resolve, HOLD_MS / 10));
  const sent = opened.store.markSent(claim.token).then((applied) => ({ applied, afterMs: performance.now() - startedAtMs }));
  const gap = longestGap(Promise.all([answer, sent]));
  const { content, finishReason } = await answer;
  expect({ finishReason, words: content.split(' ').length > HOLD_MS / 200 }).toEqual({ finishReason: 'stop', words: true });
  const { applied, afterMs } = await sent;
  expect(applied).toBe(true);
  expect(afterMs).toBeGreaterThan(HOLD_MS / 2);
  expect(await gap).toBeLessThan(HOLD_MS / 10);
  await provider.close();
});
