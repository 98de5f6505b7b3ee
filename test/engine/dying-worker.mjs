// Works a planned run as the program does and dies on the way: node dying-worker.mjs FOLDER POINT NUMBER. POINT names a moment
// of each call, or `file` for the steps of writing files; the process dies when that moment comes for the NUMBERth time. Writes
// `begin TOKEN` to calls.log when a request leaves, `stored TOKEN` when its answer is durable. Prints how often each point came.
import { appendFileSync, readFileSync } from 'node:fs';
import fileSystem from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const [folder, point, number] = process.argv.slice(2);
const { completion, worker, nowMs } = JSON.parse(readFileSync(join(folder, 'rows.json'), 'utf8'));
const came = {};

/** This moment has come once more. */
function reach(name) {
  came[name] = (came[name] ?? 0) + 1;
  if (name === point && came[name] === Number(number)) process.kill(process.pid, 'SIGKILL');
}

watchFiles();
const { judge, parse } = await import('../../dist/engine/pool-worker.js');
const { writeJobArtifacts, writePendingArtifacts, writeRunFiles } = await import('../../dist/engine/projections.js');
const { workRun } = await import('../../dist/engine/run-work.js');
const { openSqliteStore } = await import('../../dist/store/sqlite/open.js');

let tokens = 0;
const store = await openSqliteStore({
  path: join(folder, 'aieval.db'),
  clock: () => nowMs,
  monotonic: () => nowMs,
  hostId: worker.hostId,
  random: () => 0.5,
  newToken: () => {
    tokens += 1;
    return `token-${tokens}`;
  },
  heartbeatThread: null,
});
const run = await store.getRun('r1');
const log = (what, token) => appendFileSync(join(folder, 'calls.log'), `${what} ${token}\n`);

const provider = {
  complete: async ({ callToken }) => {
    reach('sent');
    log('begin', callToken);
    reach('request');
    await nextTurn();
    for (const _piece of completion.content) {
      reach('stream');
      await nextTurn();
    }
    reach('last byte');
    return completion;
  },
};

await workRun({
  store: watchedStore(),
  run,
  worker,
  pool: { parse: async (task) => parse(task), judge: async (task) => judge(task) },
  providers: { get: async () => provider },
  concurrency: 2,
  signals: { stop: new AbortController().signal, now: new AbortController().signal },
  onEvent: () => undefined,
  now: () => nowMs,
  inFlight: { count: 0 },
  project: (record) => writeJobArtifacts({ store, run, version: '0.1.0' }, record),
});
const ended = { store, run: await store.getRun('r1'), version: '0.1.0' };
await writePendingArtifacts(ended);
await writeRunFiles(ended);
await store.close();
process.stdout.write(JSON.stringify(came));

function watchedStore() {
  const own = {
    recordResponse: async (token, answer) => {
      await store.recordResponse(token, answer);
      log('stored', token);
      reach('stored');
    },
    settle: async (token, outcome) => {
      const settled = await store.settle(token, outcome);
      reach('settled');
      return settled;
    },
  };
  return new Proxy(store, { get: (target, name) => own[name] ?? target[name].bind(target) });
}

function watchFiles() {
  const { open, rename } = fileSystem;
  fileSystem.open = async (...values) => {
    reach('file');
    const file = await open(...values);
    const write = file.writeFile.bind(file);
    file.writeFile = async (content) => {
      const half = Math.ceil(content.length / 2);
      await write(content.slice(0, half));
      reach('file');
      await write(content.slice(half));
    };
    return file;
  };
  fileSystem.rename = async (...values) => {
    reach('file');
    await rename(...values);
    reach('file');
  };
  syncBuiltinESMExports();
}

function nextTurn() {
  return new Promise((resolve) => setImmediate(resolve));
}
