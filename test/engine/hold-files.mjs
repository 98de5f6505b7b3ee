// Takes the right to write the files of a run, then does nothing: node hold-files.mjs DB RUN. Prints a line once it has it.
import { randomUUID } from 'node:crypto';
import { openStore } from '../../dist/store/open.js';

const [location, runId] = process.argv.slice(2);
const store = await openStore(location, {
  clock: Date.now,
  monotonic: () => performance.now(),
  hostId: 'boot-1',
  random: Math.random,
  newToken: randomUUID,
  heartbeatThread: null,
});
const lock = await store.lockFiles(runId);
if (lock === null) throw new Error('somebody else holds the files');
console.log('held');
setInterval(() => undefined, 60_000);
