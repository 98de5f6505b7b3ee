import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { schemaUrl } from '../store/postgres/server.ts';
import { project } from './project.ts';

vi.setConfig({ testTimeout: 60_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function emptySchema(): Promise<string> {
  const schema = `set_${randomUUID().replaceAll('-', '')}`;
  const location = await schemaUrl(schema);
  undo.push(async () => {
    const url = new URL(location);
    url.searchParams.delete('schema');
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await client.end();
  });
  return location;
}

test.each([
  ['file', async () => []],
  ['server', async () => ['--store', await emptySchema()]],
])('a cap can be set before the first run, whose store (a %s) it then creates', async (_, where) => {
  const place = project();
  undo.push(place.remove);
  const args = await where();
  expect(await place.aieval('store', 'set', 'maxRunning', '3', ...args)).toMatchObject({ exitCode: 0, stdout: 'maxRunning 3\n' });
  expect(await place.aieval('store', 'show', ...args)).toMatchObject({ exitCode: 0, stdout: 'maxRunning 3\n' });
});
