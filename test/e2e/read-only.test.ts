import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ended, start } from '../cli/binary.ts';
import { answerJson, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { OwnServer } from '../store/postgres/server.ts';
import { until } from './gated-server.ts';
import { documents, goodAnswer, manifest, type Project, project } from './project.ts';

const server = new OwnServer();
let provider: ScriptedServer;
let place: Project;

beforeAll(async () => {
  await server.start();
  provider = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
  place = project({ files: { ...documents(4), 'manifest.json': manifest(provider.baseUrl) } });
});
afterAll(async () => {
  place.remove();
  await provider.close();
  await server.remove();
});

const run = (args: readonly string[], url = server.url('aieval')) =>
  start(args, { cwd: place.dir, env: { AIEVAL_STORE: url.href, XDG_STATE_HOME: join(place.dir, 'state') } });
const readOnly = (): URL => {
  const url = server.url('aieval');
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  return url;
};

test('a database that somebody made read-only is told as that, read, and not written', { timeout: 120_000 }, async () => {
  expect(await ended(run(['run', 'manifest.json', '--first', '1']))).toMatchObject({ exitCode: 0 });
  expect(await ended(run(['status'], readOnly()))).toMatchObject({ exitCode: 0, stderr: '' });
  const doctor = await ended(run(['doctor'], readOnly()));
  expect(doctor).toMatchObject({ exitCode: 8, stdout: expect.stringContaining('is read-only') });
  const refused = await ended(run(['store', 'set', 'maxRunning', '3'], readOnly()));
  expect(refused).toMatchObject({ exitCode: 8, stderr: expect.stringMatching(/error\[E22\]: .* is read-only \(cannot execute .*\)\./) });
  expect(refused.stderr).toContain('ALTER DATABASE … SET default_transaction_read_only = off ends it');
});

test('a run waits for a standby until it is promoted, and says that it is read-only', { timeout: 120_000 }, async () => {
  await server.stop();
  server.beStandby();
  await server.start();
  expect(await ended(run(['status']))).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await ended(run(['doctor']))).toMatchObject({ exitCode: 8, stdout: expect.stringContaining('is a standby') });
  const child = run(['run', 'manifest.json']);
  const end = ended(child);
  let told = '';
  child.stderr?.on('data', (text: string) => {
    told += text;
  });
  await until(() => told.includes('is read-only (cannot execute'));
  const db = new Client({ connectionString: server.url('aieval').href });
  await db.connect();
  await db.query('SELECT pg_promote()');
  await db.end();
  const { exitCode, stderr } = await end;
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/; waiting for it.*\n(?:.*\n)*.* can be used again, after /)]);
  expect(stderr).not.toContain('does not answer');
  expect(provider.requests.length).toBe(4);
});
