import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { aieval, ended, start } from '../../cli/binary.ts';
import { documents, goodAnswer, manifest, project } from '../../e2e/project.ts';
import { answerJson, startScriptedServer } from '../../providers/scripted-server.ts';
import { answersContract } from '../contract-answers.ts';
import { claimsContract } from '../contract-claims.ts';
import { failuresContract } from '../contract-failures.ts';
import { runsContract } from '../contract-runs.ts';
import { options, TestSchemas } from './open-store.ts';
import { Pooler } from './pooler.ts';
import { schemaUrl } from './server.ts';
import { expectSound } from './sound.ts';

// It is told the way to a server that trusts whoever comes over a socket.
const { AIEVAL_TEST_POSTGRES_URL: given = '' } = process.env;
const isHere = given === '' && spawnSync('pgbouncer', ['--version']).status === 0;

describe.runIf(isHere)('behind PgBouncer in transaction mode', () => {
  const schemas = new TestSchemas();
  let pooler: Pooler;

  beforeAll(async () => {
    pooler = await Pooler.start(new URL(await schemaUrl('any')));
  });
  afterAll(async () => {
    await schemas.drop();
    await pooler.close();
  });

  // Two clients of one pooler: what the exam does with two processes leads through the same few sessions.
  async function open(clock: () => number) {
    const bench = await schemas.open(clock);
    const location = pooler.location(new URL(bench.location));
    const stores = [await openPostgresStore(options(location, clock))];
    const another = async () => {
      const other = await openPostgresStore(options(location, clock));
      stores.push(other);
      return other;
    };
    const dispose = async () => {
      for (const store of stores) await store.close();
      await expectSound(bench.db);
      await bench.dispose();
    };
    const [store = bench.store] = stores;
    return { ...bench, store, another, dispose };
  }

  claimsContract('postgres', open);
  answersContract('postgres', open);
  failuresContract('postgres', open);
  runsContract('postgres', open);

  it('a worker that can hear of no work there looks for it, and finds it', { timeout: 120_000 }, async () => {
    const schema = `polled_${randomUUID().replaceAll('-', '')}`;
    const server = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
    const { quotes } = JSON.parse(manifest(server.baseUrl)).tasks;
    // Only a worker with the tag may ask: `run` itself waits for it.
    const tasks = { heavy: { ...quotes, prompt: `${quotes.prompt} Again.`, requires: ['gpu'] } };
    const place = project({
      files: { ...documents(2), 'first.json': manifest(server.baseUrl), 'second.json': manifest(server.baseUrl, { tasks }) },
    });
    const env = { AIEVAL_STORE: pooler.location(new URL(await schemaUrl(schema))), XDG_STATE_HOME: join(place.dir, 'state') };
    expect((await aieval(['run', 'first.json'], { cwd: place.dir, env })).exitCode).toBe(0);
    const worker = start(['worker', '--tags', 'gpu'], { cwd: place.dir, env });
    const end = ended(worker);
    const isAlive = async () => (await aieval(['doctor'], { cwd: place.dir, env })).stdout.includes('1 alive');
    while (!(await isAlive()));
    const second = await aieval(['run', 'second.json', '--json'], { cwd: place.dir, env });
    expect(second.exitCode).toBe(0);
    expect(server.requests.length).toBe(4);
    worker.kill('SIGINT');
    expect((await end).exitCode).toBe(130);
    place.remove();
    await server.close();
    const { db, dispose } = await schemas.open(Date.now);
    await db.query(`DROP SCHEMA "${schema}" CASCADE`);
    await dispose();
  });

  it('several processes do a run, with a pooler that has fewer sessions than they have connections', { timeout: 120_000 }, async () => {
    const narrow = await Pooler.start(new URL(await schemaUrl('any')), 2);
    const schema = `pooled_${randomUUID().replaceAll('-', '')}`;
    const server = await startScriptedServer({ respond: ({ prompt }) => answerJson(goodAnswer(prompt)) });
    const place = project({ files: { ...documents(12), 'manifest.json': manifest(server.baseUrl, { concurrency: 4 }) } });
    const env = { AIEVAL_STORE: narrow.location(new URL(await schemaUrl(schema))), XDG_STATE_HOME: join(place.dir, 'state') };
    const run = () => aieval(['run', 'manifest.json', '--json'], { cwd: place.dir, env });
    const all = await Promise.all([run(), run(), run()]);
    expect(all.map(({ exitCode, stderr }) => [exitCode, stderr.match(/^error.*/m)?.[0]])).toEqual(all.map(() => [0, undefined]));
    expect(server.requests.length).toBe(12);
    expect(await aieval(['doctor'], { cwd: place.dir, env })).toMatchObject({ exitCode: 0 });
    place.remove();
    await server.close();
    await narrow.close();
    const { db, dispose } = await schemas.open(Date.now);
    await db.query(`DROP SCHEMA "${schema}" CASCADE`);
    await dispose();
  });
});

it.skipIf(isHere)('NOT SHOWN HERE: pgbouncer is missing', () => {
  expect(isHere).toBe(false);
});
