import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LeaseWatch } from '../../../src/store/lease-watch.ts';
import { openPool, postgresPlace } from '../../../src/store/postgres/connection.ts';
import { NO_LOCKS } from '../../../src/store/postgres/locks.ts';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { Transactor } from '../../../src/store/postgres/transactor.ts';
import { Clock } from '../bench.ts';
import { options } from './open-store.ts';
import { OwnServer } from './server.ts';

const server = new OwnServer();
const clock = new Clock();
const { href: location } = server.url('aieval');

beforeAll(async () => {
  await server.start();
  await (await openPostgresStore(options(location, clock.read))).close();
});
afterAll(() => server.remove());

const THE_MARK = `INSERT INTO model_modes (endpoint, model, mode) VALUES (:endpoint, 'model', 'json')`;

/** The number of a transaction of somebody else's, which is committed. */
async function another(): Promise<string> {
  const url = server.url('aieval');
  url.searchParams.delete('schema');
  const client = new Client({ connectionString: url.href });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO aieval.model_modes (endpoint, model, mode) VALUES ('${randomUUID()}', 'model', 'json') RETURNING pg_current_xact_id()::text AS id`,
  );
  await client.end();
  return rows[0]?.id ?? '';
}

function transactor(): Transactor {
  const patience = { patienceMs: 60_000, onServer: () => undefined };
  const place = postgresPlace(location);
  return new Transactor(openPool(place), place, { ...options('', clock.read), watch: new LeaseWatch(clock.read), patience });
}

/** One whose connection breaks in a crash before it commits, and whose number the server gives to somebody else. */
async function overtaken(work: Transactor): Promise<{ readonly tries: number; readonly isSameNumber: boolean; readonly endpoint: string }> {
  const endpoint = randomUUID();
  const numbers: string[] = [];
  let tries = 0;
  await work.write(NO_LOCKS, async ({ sql }) => {
    tries += 1;
    await sql.run(THE_MARK, { endpoint });
    if (tries > 1) return;
    numbers.push((await sql.one<{ id: string }>('SELECT pg_current_xact_id()::text AS id'))?.id ?? '');
    await server.stop('SIGQUIT');
    await server.start();
    numbers.push(await another());
  });
  return { tries, isSameNumber: numbers[0] === numbers[1], endpoint };
}

it('a transaction that a crash of the server undid is done again, though another one has its number', { timeout: 120_000 }, async () => {
  const work = transactor();
  let undone = await overtaken(work);
  // The server may have written to its disk between; then it remembers which numbers it gave.
  for (let again = 0; again < 5 && !undone.isSameNumber; again += 1) undone = await overtaken(work);
  expect(undone).toMatchObject({ isSameNumber: true, tries: 2 });
  const endpoints = await work.read(({ sql }) => sql.all<{ endpoint: string }>('SELECT endpoint FROM model_modes'));
  expect(endpoints).toContainEqual({ endpoint: undone.endpoint });
  await work.close();
});
