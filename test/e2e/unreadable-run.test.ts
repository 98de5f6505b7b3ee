import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { answer, startScriptedServer } from '../providers/scripted-server.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { documents, goodAnswer, lastRecord, manifest, project } from './project.ts';

// Each test starts many processes, one after the other.
vi.setConfig({ testTimeout: 90_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A store that somebody else writes to, too. */
type Written = { readonly args: readonly string[]; readonly write: (dir: string, sql: string) => Promise<void> };

async function file(): Promise<Written> {
  return {
    args: [],
    async write(dir, sql) {
      const db = new BetterSqlite3(join(dir, '.aieval', 'aieval.db'));
      db.exec(sql);
      db.close();
    },
  };
}

async function server(): Promise<Written> {
  const schema = `u_${randomUUID().replaceAll('-', '')}`;
  const location = await schemaUrl(schema);
  const write = async (_: string, sql: string): Promise<void> => {
    const url = new URL(location);
    url.searchParams.delete('schema');
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query(`SET search_path TO ${schema}`);
    await client.query(sql);
    await client.end();
  };
  undo.push(() => write('', `DROP SCHEMA IF EXISTS ${schema} CASCADE`));
  return { args: ['--store', location], write };
}

test.each([
  ['file', file],
  ['server', server],
])('a run in a %s that another version wrote is told as such by every command, and keeps no other run from going on', async (_, make) => {
  const endpoint = await startScriptedServer({ respond: ({ body }) => answer(JSON.stringify(goodAnswer(JSON.stringify(body)))) });
  undo.push(endpoint.close);
  const place = project({ files: documents(2) });
  undo.push(place.remove);
  const { args, write } = await make();
  const aieval = (...words: string[]) => place.aieval(...words, ...args);
  const start = async (name: string, document: string): Promise<string> => {
    place.write(`${name}.json`, manifest(endpoint.baseUrl, { name, documents: [document] }));
    return String(lastRecord((await aieval('run', `${name}.json`, '--json')).stdout).run);
  };
  const good = await start('good', 'docs/01.md');
  const bad = await start('bad', 'docs/02.md');
  const reopen = (run: string) => `UPDATE runs SET state = 'open', finished_at_ms = NULL WHERE run_id = '${run}'`;
  await write(
    place.dir,
    `UPDATE runs SET manifest = '{"version":1}', state = 'open', finished_at_ms = NULL WHERE run_id = '${bad}'; ${reopen(good)}`,
  );

  const said = `run ${bad} cannot be read (manifest.name): it was written by another version of aieval, or by somebody else`;
  for (const words of [['summary'], ['status', bad], ['report', bad], ['cancel', bad], ['worker', bad], ['retry', '--dlq']]) {
    const { exitCode, stderr } = await aieval(...words);
    expect([words, exitCode, stderr]).toEqual([words, 8, expect.stringContaining(`error[E22]: ${said}`)]);
  }
  const status = await aieval('status');
  expect(status).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(good), stderr: `warning: ${said}\n` });
  const all = await aieval('status', '--all');
  expect(all).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`! ${said}`) });
  expect(all.stdout).toContain(good);
  expect(await aieval('doctor')).toMatchObject({ exitCode: 8, stderr: '', stdout: expect.stringContaining(said) });

  const worker = await aieval('worker', '--exit-when-idle');
  expect(worker.exitCode).toBe(8);
  expect(worker.stderr).toContain(`run ${bad} is left: it cannot be read by this version`);
  expect(JSON.parse((await aieval('status', good, '--json')).stdout)).toMatchObject({ run: { state: 'finished' } });

  // Its work is there to be done anew, and what was paid is not paid again.
  const asked = endpoint.requests.length;
  expect((await aieval('run', 'bad.json')).exitCode).toBe(8);
  expect((await aieval('run', 'bad.json', '--new')).exitCode).toBe(0);
  expect(endpoint.requests).toHaveLength(asked);
});
