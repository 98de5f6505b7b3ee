import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, manifest, project } from './project.ts';

vi.setConfig({ testTimeout: 90_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

test('a run whose schema is dropped under it ends as one whose storage failed, and not as a bug', async () => {
  const schema = `dropped_${randomUUID().replaceAll('-', '')}`;
  const location = await schemaUrl(schema);
  const server = await gatedServer(0);
  undo.push(server.close);
  const place = project({ files: { ...documents(4), 'manifest.json': manifest(server.baseUrl, { concurrency: 2 }) } });
  undo.push(place.remove);
  const end = ended(start(['run', 'manifest.json', '--store', location], { cwd: place.dir, env: { XDG_STATE_HOME: place.dir } }));
  await until(() => server.requests.length === 2);
  const url = new URL(location);
  url.searchParams.delete('schema');
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query(`DROP SCHEMA ${schema} CASCADE`);
  await client.end();
  server.open();
  const { exitCode, stderr } = await end;
  expect(exitCode).toBe(8);
  expect(stderr).toContain('error[E22]: ');
  expect(stderr).toContain('has lost tables or functions that it had');
  expect(stderr).not.toContain('E99');
});
