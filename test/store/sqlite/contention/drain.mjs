// Works one run as a worker of its own process, on the built store: node drain.mjs DB RUN WORKER. Prints the key of each call.
import { randomUUID } from 'node:crypto';
import { openStore } from '../../../../dist/store/open.js';

const [location, runId, workerId] = process.argv.slice(2);
const store = await openStore(location, {
  clock: Date.now,
  monotonic: () => performance.now(),
  hostId: 'boot-1',
  random: Math.random,
  newToken: randomUUID,
  heartbeatThread: null,
});
await store.registerWorker({ workerId, runId: null, hostId: 'boot-1', hostname: 'laptop', pid: process.pid, version: '0.1.0' });

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

async function work(claim) {
  if (claim.work.kind === 'finish') return finish(claim);
  if (!(await store.markSent(claim.token))) throw new Error('lost');
  console.log(claim.work.key);
  await store.recordResponse(claim.token, completion);
  const call = { state: 'settled', usage, costNanoUsd: 1 };
  const settled = await store.settle(claim.token, { kind: 'answered', callToken: claim.token, answer: 1, repaired: false, call });
  if (settled.finish !== null) await finish(settled.finish);
}

async function finish({ token, work: { answers } }) {
  const [{ callToken, answer }] = answers;
  await store.settle(token, {
    kind: 'finished',
    result: { verdict: 'pass', scores: [], answer, repaired: false, reasked: false, mode: null, callToken },
  });
}

async function loop() {
  for (;;) {
    const reply = await store.claim({ runId, workerId });
    if (reply.kind === 'drained') return;
    if (reply.kind === 'claimed') await work(reply.claim);
    else await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

await Promise.all([loop(), loop(), loop(), loop()]);
await store.close();
