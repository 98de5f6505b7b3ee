// Registers a worker, takes the write lock and keeps it: node hold-lock.mjs DB WORKER HOST. Prints a line once it has the lock.
import { randomUUID } from 'node:crypto';
import BetterSqlite3 from 'better-sqlite3';
import { openStore } from '../../../../dist/store/open.js';

const [location, workerId, hostId] = process.argv.slice(2);
const store = await openStore(location, {
  clock: Date.now,
  monotonic: () => performance.now(),
  hostId,
  random: Math.random,
  newToken: randomUUID,
  heartbeatThread: null,
});
await store.registerWorker({ workerId, runId: null, hostId, hostname: 'laptop', pid: process.pid, version: '0.1.0' });
const db = new BetterSqlite3(location, { timeout: 5000 });
db.exec('BEGIN IMMEDIATE');
console.log('held');
// The timer refers to the connection: one that nothing refers to is collected as garbage, and its lock is gone with it.
setInterval(() => db.inTransaction, 60_000);
