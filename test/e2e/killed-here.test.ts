import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ended, ended, start } from '../cli/binary.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, lastRecord, manifest, type Project, project } from './project.ts';

const SCHEMA = `killed_here_${process.pid}`;
/** Far longer than the test: nothing here waits for a lease to run out. */
const LEASE = { ttlMs: 600_000, beatMs: 150_000, deadlineMs: 1_800_000 };
const DOCUMENTS = 3;

let url: string;
let place: Project;
let env: Readonly<Record<string, string>>;
const undo: (() => unknown)[] = [];
beforeEach(async () => {
  url = await schemaUrl(SCHEMA);
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
  const db = new Client({ connectionString: url.replace(/([?&])schema=[^&]*&?/, '$1') });
  await db.connect();
  await db.query(`DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`);
  await db.end();
});

const command = (...args: string[]): Promise<Ended> => ended(start(args, { cwd: place.dir, env }));

test('a run that is killed on a server’s store is seen to be gone at once, and the next command goes on with it', {
  timeout: 120_000,
}, async () => {
  const server = await gatedServer(0);
  undo.push(server.close);
  const text = manifest(server.baseUrl, { concurrency: 2, lease: LEASE });
  place = project({ files: { ...documents(DOCUMENTS), 'manifest.json': text } });
  env = { AIEVAL_STORE: url, XDG_STATE_HOME: join(place.dir, 'state') };
  undo.push(place.remove);
  const run = start(['run', 'manifest.json', '--json'], { cwd: place.dir, env });
  undo.push(() => run.kill('SIGKILL'));
  await until(() => server.requests.length === 2);
  expect((await command('pause')).stdout).toContain('2 jobs in flight will finish and be kept.');
  run.kill('SIGKILL');
  await once(run, 'exit');

  const status = await command('status');
  expect(status.stdout).toContain('gone; its work is taken up again');
  expect(JSON.parse((await command('status', '--json')).stdout).workers).toMatchObject([{ alive: false, certain: true, running: 2 }]);
  expect((await command('doctor')).stdout).toMatch(/leases\s+warning: 2 leases of workers that are gone/);
  expect((await command('resume')).stdout).toContain('nobody works on it yet');
  expect((await command('pause')).stdout).toContain('2 jobs were in flight when their worker went');
  await command('resume');

  server.open();
  const next = await command('run', 'manifest.json', '--json');
  expect(next.exitCode).toBe(0);
  expect(lastRecord(next.stdout)).toMatchObject({ jobs: { succeeded: DOCUMENTS } });
  expect(server.requests).toHaveLength(DOCUMENTS + 2);
});
