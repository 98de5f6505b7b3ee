// Claims one step of a run and sends its call: node hold.mjs URL RUN WORKER FOLDER HOST. Prints a line once it holds the step. Keeps its
// paid answers in FOLDER, and renews its lease. A line on its input is the answer to the call, which it gives to the server.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { openPostgresStore } from '../../../../dist/store/postgres/open.js';

const [location, runId, workerId, folder, hostId] = process.argv.slice(2);
const store = await openPostgresStore({
  location,
  clock: null,
  hostId,
  monotonic: () => performance.now(),
  random: Math.random,
  newToken: randomUUID,
  heartbeatThread: new URL('../../../../dist/store/postgres/workers/heartbeat-thread.js', import.meta.url),
  patience: { patienceMs: 600_000, onServer: () => undefined },
  spoolFolders: [folder],
  userId: process.geteuid?.() ?? null,
});
await store.registerWorker({ workerId, runId: null, hostId, hostname: 'laptop', pid: process.pid, version: '0.1.0' });
const reply = await store.claim({ runId, workerId });
await store.markSent(reply.claim.token);
console.log('held');
setInterval(() => undefined, 60_000);
const [content] = await once(process.stdin.setEncoding('utf8'), 'data');
await store.recordResponse(reply.claim.token, {
  content: content.trim(),
  refusal: null,
  finishReason: 'stop',
  usage: { uncachedInput: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 },
  model: 'm',
  requestId: null,
  latencyMs: 1,
  firstTokenMs: null,
  mode: null,
  wireBody: {},
});
