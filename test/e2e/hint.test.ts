import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';
import { aieval, ended, start } from '../cli/binary.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, lastRecord, manifest, project } from './project.ts';

const SCHEMA = `hint_${process.pid}`;
const LONG_PAUSES = fileURLToPath(new URL('./long-pauses.mjs', import.meta.url));
const LISTENS = `SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'LISTEN%' AND state = 'idle'`;

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

test('an idle worker begins new work because it hears of it, not because it looks again', { timeout: 120_000 }, async () => {
  const store = await schemaUrl(SCHEMA);
  const bare = new URL(store);
  for (const name of ['schema', 'application_name']) bare.searchParams.delete(name);
  const db = new Client({ connectionString: bare.href });
  await db.connect();
  undo.push(async () => {
    await db.query(`DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`);
    await db.end();
  });
  const provider = await gatedServer(100);
  undo.push(provider.close);
  const { quotes } = JSON.parse(manifest(provider.baseUrl)).tasks;
  const place = project({
    files: {
      ...documents(2),
      'first.json': manifest(provider.baseUrl),
      // Only a worker with the tag may ask: `run` itself waits for it.
      'second.json': manifest(provider.baseUrl, { tasks: { heavy: { ...quotes, prompt: `${quotes.prompt} Again.`, requires: ['gpu'] } } }),
    },
  });
  undo.push(place.remove);
  const env = { AIEVAL_STORE: store, XDG_STATE_HOME: join(place.dir, 'state') };
  expect((await aieval(['run', 'first.json'], { cwd: place.dir, env })).exitCode).toBe(0);

  const worker = start(['worker', '--tags', 'gpu'], { cwd: place.dir, env, nodeArguments: ['--import', LONG_PAUSES] });
  undo.push(() => worker.kill('SIGKILL'));
  const end = ended(worker);
  let told = '';
  worker.stderr?.on('data', (text: string) => {
    told += text;
  });
  await until(async () => told.includes('waits for an hour') && (await db.query(LISTENS, [SCHEMA])).rowCount === 1);
  const second = await aieval(['run', 'second.json', '--json'], { cwd: place.dir, env });
  expect(lastRecord(second.stdout)).toMatchObject({ exitCode: 0 });
  expect(provider.requests.length).toBe(4);
  worker.kill('SIGINT');
  expect((await end).exitCode).toBe(130);
});
