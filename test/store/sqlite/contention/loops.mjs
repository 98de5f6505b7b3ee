// Works one run as a worker process of the built store, in loops that run beside each other: node loops.mjs DB RUN WORKER OPTIONS.
// Options (JSON): loops (4), mostMs (0: a call takes up to that long), together (0: begins once that many workers are there),
// answer ('valid', 'invalid', 'transient' or 'permanent': what each call gets; a re-ask of an invalid one is valid), poison (a key
// whose call kills the process).
// Its leases are renewed. Ends when the run is drained; then it prints how many calls it made, how long its slowest operation took, and all.
import { randomUUID } from 'node:crypto';
import { openStore } from '../../../../dist/store/open.js';

const [location, runId, workerId, text = '{}'] = process.argv.slice(2);
const { loops = 4, mostMs = 0, together = 0, answer: answers = 'valid', poison = null } = JSON.parse(text);
const heartbeatThread = new URL('../../../../dist/store/sqlite/workers/heartbeat-thread.js', import.meta.url);
const usage = { uncachedInput: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 };
const completion = {
  content: '1',
  refusal: null,
  finishReason: 'stop',
  usage,
  model: 'm',
  requestId: null,
  latencyMs: 1,
  firstTokenMs: null,
  mode: null,
  wireBody: {},
};
const paid = { state: 'settled', usage, costNanoUsd: 1 };
const free = { state: 'settled', usage: null, costNanoUsd: 0 };
const failures = {
  invalid: { class: 'quality', reason: 'invalid_answer', message: 'it does not fit' },
  transient: { class: 'transient', reason: 'server_error', message: 'the server failed' },
  permanent: { class: 'permanent', reason: 'bad_request', message: 'the server refused' },
};

let longestMs = 0;
let calls = 0;

async function timed(promise) {
  const startedAtMs = performance.now();
  const value = await promise;
  longestMs = Math.max(longestMs, performance.now() - startedAtMs);
  return value;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const store = await timed(
  openStore(location, {
    clock: Date.now,
    monotonic: () => performance.now(),
    hostId: 'boot-1',
    random: Math.random,
    newToken: randomUUID,
    heartbeatThread,
  }),
);
await timed(store.registerWorker({ workerId, runId: null, hostId: 'boot-1', hostname: 'laptop', pid: process.pid, version: '0.1.0' }));
while ((await store.workers()).length < together) await pause(20);
const startedAtMs = performance.now();
longestMs = 0;

function outcomeOf(token, work) {
  if (answers === 'valid' || (work.reask !== null && answers === 'invalid')) {
    return { kind: 'answered', callToken: token, answer: 1, repaired: false, call: paid };
  }
  const failure = failures[answers];
  if (answers !== 'invalid') return { kind: 'failed', callToken: token, failure, call: free };
  return { kind: 'superseded', callToken: token, reask: { answer: '1', errors: ['no'] }, failure, call: paid };
}

async function call(token, work) {
  if (!(await timed(store.markSent(token)))) throw new Error(`The lease of ${work.key} was lost before sending`);
  if (work.key === poison) process.kill(process.pid, 'SIGKILL');
  calls += 1;
  if (mostMs > 0) await pause(Math.random() * mostMs);
  const outcome = outcomeOf(token, work);
  if (outcome.kind !== 'failed') await timed(store.recordResponse(token, completion));
  const settled = await timed(store.settle(token, outcome));
  if (!settled.applied) throw new Error(`The lease of ${work.key} was lost before settling`);
  if (settled.finish !== null) await finish(settled.finish.token, settled.finish.work);
}

async function finish(token, { answers: [{ callToken, answer }] }) {
  const result = { verdict: 'pass', scores: [], answer, repaired: false, reasked: false, mode: null, callToken };
  const settled = await timed(store.settle(token, { kind: 'finished', result }));
  if (!settled.applied) throw new Error('The lease of a finish was lost');
}

/** A paid answer that a dead process left behind. */
async function judge(token, { callToken }) {
  const settled = await timed(store.settle(token, { kind: 'answered', callToken, answer: 1, repaired: false, call: paid }));
  if (settled.finish !== null) await finish(settled.finish.token, settled.finish.work);
}

const works = { call, judge, finish };

async function loop() {
  for (;;) {
    const reply = await timed(store.claim({ runId, workerId }));
    if (reply.kind === 'drained') return;
    if (reply.kind === 'claimed') await works[reply.claim.work.kind](reply.claim.token, reply.claim.work);
    else await pause(5);
  }
}

await Promise.all(Array.from({ length: loops }, loop));
const tookMs = performance.now() - startedAtMs;
await store.removeWorker(workerId);
await store.close();
console.log(JSON.stringify({ calls, longestMs, tookMs }));
