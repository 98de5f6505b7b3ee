// Does one operation on the built store and dies in it: node dying-database.mjs FOLDER OPERATION NUMBER before|after.
// NUMBER counts the operation's statements from 0; without it the process lives and prints them, as a JSON array.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { openSqliteStore } from '../../../../dist/store/sqlite/open.js';
import { OPERATIONS } from './operations.mjs';
import { watchedDatabase } from './watched-database.mjs';

const [folder, name, number, when] = process.argv.slice(2);
const { rows, startMs } = JSON.parse(readFileSync(join(folder, 'rows.json'), 'utf8'));
const statements = [];
const die = (at) => {
  if (at === when && statements.length - 1 === Number(number)) process.kill(process.pid, 'SIGKILL');
};

// Opening the store is an operation of its own: `open` is watched from the start, the others when they begin.
let watched = name === 'open';

function around(text, execute) {
  if (!watched) return execute();
  statements.push(text);
  die('before');
  const value = execute();
  die('after');
  return value;
}

let passedMs = 0;
let tokens = 0;
const store = await openSqliteStore({
  path: join(folder, 'aieval.db'),
  clock: () => startMs + passedMs,
  monotonic: () => passedMs,
  hostId: rows.worker.hostId,
  random: () => 0.5,
  newToken: () => {
    tokens += 1;
    return `token-${tokens}`;
  },
  heartbeatThread: null,
  openDatabase: (path) => watchedDatabase(new BetterSqlite3(path, { timeout: 0 }), around),
});

if (name !== 'open') {
  const onCall = (stepKind, key) => appendFileSync(join(folder, 'calls.log'), `${stepKind} ${key}\n`);
  const pass = (ms) => {
    passedMs += ms;
  };
  const place = { store, rows, onCall, pass };
  const { before, act } = OPERATIONS[name];
  const held = await before(place);
  watched = true;
  await act(place, held);
}
watched = false;
process.stdout.write(JSON.stringify(statements));
process.kill(process.pid, 'SIGKILL');
