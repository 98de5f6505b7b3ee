// Works one run as a worker process of the built store, two steps at once: node worker.mjs URL RUN WORKER BILLS. A call is a line that is
// added to the file BILLS, its token and its key, after it was sent and before its answer is stored. Its leases are renewed. Ends when the
// run is drained.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgresStore } from '../../../../dist/store/postgres/open.js';

const [location, runId, workerId, bills] = process.argv.slice(2);
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

const store = await openPostgresStore({
  location,
  clock: null,
  monotonic: () => performance.now(),
  random: Math.random,
  newToken: randomUUID,
  heartbeatThread: new URL('../../../../dist/store/postgres/workers/heartbeat-thread.js', import.meta.url),
});
await store.registerWorker({ workerId, runId: null, hostId: workerId, hostname: 'laptop', pid: process.pid, version: '0.1.0' });
await Promise.all([loop(), loop()]);
await store.removeWorker(workerId);
await store.close();

async function loop() {
  for (;;) {
    const reply = await store.claim({ runId, workerId });
    if (reply.kind === 'drained') return;
    if (reply.kind === 'claimed') await work(reply.claim);
    else await pause(100 * Math.random());
  }
}

async function work(claim) {
  if (claim.work.kind === 'finish') return finish(claim);
  const callToken = claim.work.kind === 'judge' ? claim.work.callToken : claim.token;
  if (claim.work.kind === 'call' && !(await called(claim))) return;
  const call = { state: 'settled', usage, costNanoUsd: 1 };
  const settled = await store.settle(claim.token, { kind: 'answered', callToken, answer: 1, repaired: false, call });
  if (settled.applied && settled.finish !== null) await finish(settled.finish);
}

async function called(claim) {
  if (!(await store.markSent(claim.token))) return false;
  appendFileSync(bills, `${claim.token} ${claim.work.key}\n`);
  await pause(60 * Math.random());
  await store.recordResponse(claim.token, completion);
  return true;
}

async function finish(claim) {
  const callToken = claim.work.answers.at(-1).callToken;
  const result = { verdict: 'pass', scores: [], answer: 1, repaired: false, reasked: false, mode: null, callToken };
  await store.settle(claim.token, { kind: 'finished', result });
}
