// Works on one step of run `r1` and writes a line to stdout when each verb's promise has settled: node durable.mjs DB. The last line
// says how each connection was set up.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openFile } from '../../../dist/store/sqlite/connection.js';
import { openSqliteStore } from '../../../dist/store/sqlite/open.js';

const [path] = process.argv.slice(2);
const opened = [];
const openDatabase = (file) => {
  opened.push(openFile(file));
  return opened.at(-1);
};
const store = await openSqliteStore({
  path,
  openDatabase,
  clock: Date.now,
  monotonic: () => performance.now(),
  hostId: 'boot-1',
  random: Math.random,
  newToken: randomUUID,
  heartbeatThread: null,
});

/** Written by the system call itself, so that its place among the others is true. */
async function mark(verb, work) {
  const value = await work;
  writeSync(1, `${verb}\n`);
  return value;
}

const usage = { uncachedInput: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 };
const completion = (content) => ({
  content,
  refusal: null,
  finishReason: 'stop',
  usage,
  model: 'm',
  requestId: null,
  latencyMs: 1,
  firstTokenMs: null,
  mode: null,
  wireBody: {},
});

const worker = { workerId: 'durable', runId: null, hostId: 'boot-1', hostname: 'laptop', pid: process.pid, version: '0.1.0' };
await mark('registerWorker', store.registerWorker(worker));
const claimed = () => store.claim({ runId: 'r1', workerId: 'durable' }).then(({ claim }) => claim);
const { token } = await mark('claim', claimed());
await mark('markSent', store.markSent(token));
await mark('recordResponse', store.recordResponse(token, completion('1')));
const call = { state: 'settled', usage, costNanoUsd: 1 };
const { finish } = await mark('settle', store.settle(token, { kind: 'answered', callToken: token, answer: 1, repaired: false, call }));
const result = { verdict: 'pass', scores: [], answer: 1, repaired: false, reasked: false, mode: null, callToken: token };
await mark('finish', store.settle(finish.token, { kind: 'finished', result }));
const second = await mark('claim', claimed());
await mark('markSent', store.markSent(second.token));
opened[0].pragma('max_page_count = 1');
await mark(
  'keep',
  store.recordResponse(second.token, completion('x'.repeat(200_000))).catch(() => undefined),
);
const names = ['synchronous', 'fullfsync', 'checkpoint_fullfsync', 'journal_mode'];
console.log(JSON.stringify(opened.map((db) => names.map((name) => db.pragma(name, { simple: true })))));
