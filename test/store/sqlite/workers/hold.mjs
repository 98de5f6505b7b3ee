// Claims one step and sends its call, then does nothing: node hold.mjs DB RUN WORKER. Prints a line once it holds the step.
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
const reply = await store.claim({ runId, workerId });
await store.markSent(reply.claim.token);
console.log('held');
setInterval(() => undefined, 60_000);
