import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { STORED } from '../../../src/store/postgres/schema/stored-list.ts';
import { Bench, Clock } from '../bench.ts';
import { jobOfKey } from '../rows.ts';
import { options, type PostgresBench, TestSchemas } from './open-store.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

const SELECT_FUNCTIONS = `
SELECT p.oid::int AS id, p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = $1 AND p.proname = ANY ($2::text[]) ORDER BY p.oid`;

describe('statements that a schema holds', () => {
  const clock = new Clock();
  const names = STORED.map(({ functionName }) => functionName);
  let opened: PostgresBench;

  beforeEach(async () => {
    opened = await schemas.open(clock.read);
  });
  afterEach(() => opened.dispose());

  const functions = async () => (await opened.db.query<{ id: number; name: string }>(SELECT_FUNCTIONS, [opened.schema, names])).rows;
  const dropAll = async () => {
    for (const { name } of await functions()) await opened.db.query(`DROP FUNCTION ${name}`);
  };

  it('bear names that fit, of which each is of one text', () => {
    expect(names.filter((name) => name.length > 63)).toEqual([]);
    expect(new Set(names).size).toBe(new Set(STORED.map(({ text }) => text)).size);
  });

  it('are made by the first process that knows them, and by no other', async () => {
    await dropAll();
    await Promise.all([opened.another(), opened.another(), opened.another()]);
    const made = await functions();
    expect(made.map(({ name }) => name).sort()).toEqual([...names].sort());
    await opened.another();
    expect(await functions()).toEqual(made);
  });

  it('are done without where the user may make none', async () => {
    const role = `r_${randomUUID().replaceAll('-', '')}`;
    await dropAll();
    await opened.db.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    await opened.db.query(`GRANT USAGE ON SCHEMA "${opened.schema}" TO ${role}`);
    await opened.db.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${opened.schema}" TO ${role}`);
    try {
      const location = new URL(opened.location);
      location.searchParams.set('user', role);
      location.searchParams.set('password', 'secret');
      const store = await openPostgresStore(options(location.href, clock.read));
      const bench = new Bench(store, clock);
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await bench.complete(await bench.claimed('r1'));
      expect(await bench.states('r1')).toEqual(['succeeded']);
      expect(await functions()).toEqual([]);
      await store.close();
    } finally {
      await opened.db.query(`DROP OWNED BY ${role}`);
      await opened.db.query(`DROP ROLE ${role}`);
    }
    await opened.another();
    expect(await functions()).toHaveLength(names.length);
  });

  it('refuse, as others do, a change of another number of rows than the one that is expected', async () => {
    const bench = new Bench(opened.store, clock);
    await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
    const claim = await bench.claimed('r1');
    await bench.call(claim);
    await opened.db.query('DELETE FROM responses');
    await expect(bench.accept(claim)).rejects.toThrow('Expected one row to change, got 0');
    expect(await bench.states('r1')).toEqual(['running']);
  });
});
