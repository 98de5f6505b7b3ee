import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Inspection } from '../../../../src/store/maintenance.ts';
import { inspectPostgres } from '../../../../src/store/postgres/inspect/inspect.ts';
import { openPostgresStore } from '../../../../src/store/postgres/open.ts';
import { options, type PostgresBench, TestSchemas } from '../open-store.ts';

const CLOCK = () => 1000;
const schemas = new TestSchemas();
afterAll(() => schemas.drop());

describe('a user of the database with few rights', () => {
  let opened: PostgresBench;
  let who: string;
  let other: string;

  beforeEach(async () => {
    opened = await schemas.open(CLOCK);
    who = `plain_${opened.schema.slice(2, 20)}`;
    other = `${opened.schema.slice(0, 20)}_plain`;
    await opened.db.query(`CREATE ROLE ${who} LOGIN`);
  });
  afterEach(async () => {
    await opened.db.query(`DROP SCHEMA IF EXISTS ${other} CASCADE; DROP OWNED BY ${who}; DROP ROLE ${who}`);
    await opened.dispose();
  });

  const as = (schema: string): string => {
    const url = new URL(opened.location);
    url.searchParams.set('user', who);
    url.searchParams.set('schema', schema);
    return url.href;
  };
  const look = async (schema: string): Promise<Inspection | undefined> =>
    (await inspectPostgres({ location: as(schema), clock: CLOCK })).find(({ check }) => check === 'schema');
  const hasSchema = async () => (await opened.db.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [other])).rowCount === 1;

  it('is told that the schema is not there and may not be created, without it being tried', async () => {
    expect(await look(other)).toEqual({
      check: 'schema',
      status: 'problem',
      message: `the schema is not there yet, and ${who} may not create it.`,
      next: [`GRANT CREATE ON DATABASE postgres TO ${who}`, `CREATE SCHEMA ${other} AUTHORIZATION ${who}`],
    });
    await expect(openPostgresStore(options(as(other), CLOCK))).rejects.toMatchObject({
      code: 'E22',
      message: expect.stringContaining('may not be used so by this user (permission denied for database'),
      next: [expect.stringContaining('GRANT CREATE ON DATABASE'), expect.any(String)],
    });
    expect(await hasSchema()).toBe(false);
  });

  it('needs no right on the database where somebody made the schema for it', async () => {
    await opened.db.query(`CREATE SCHEMA ${other}; GRANT USAGE ON SCHEMA ${other} TO ${who}`);
    expect(await look(other)).toMatchObject({ status: 'problem', message: `${who} may not create the tables in the schema.` });
    await opened.db.query(`ALTER SCHEMA ${other} OWNER TO ${who}`);
    expect(await look(other)).toMatchObject({ status: 'ok' });
    const store = await openPostgresStore(options(as(other), CLOCK));
    expect(await store.listRuns()).toEqual([]);
    await store.close();
    expect(await look(other)).toMatchObject({ status: 'ok', message: 'schema 1' });
  });

  it('is told of tables that it may not change', async () => {
    await opened.db.query(`GRANT USAGE ON SCHEMA "${opened.schema}" TO ${who}`);
    await opened.db.query(
      `GRANT ALL ON ALL TABLES IN SCHEMA "${opened.schema}" TO ${who}; REVOKE INSERT ON "${opened.schema}".runs FROM ${who}`,
    );
    const next = [`GRANT ALL ON ALL TABLES IN SCHEMA ${opened.schema} TO ${who}`];
    const found = (what: string) => ({ check: 'schema', status: 'problem', message: `${who} may not ${what}`, next });
    expect(await look(opened.schema)).toEqual(found('change the table runs.'));
    await opened.db.query(`REVOKE SELECT ON "${opened.schema}".runs FROM ${who}`);
    expect(await look(opened.schema)).toEqual(found('read and change the table runs.'));
    await opened.db.query(`REVOKE ALL ON ALL TABLES IN SCHEMA "${opened.schema}" FROM ${who}`);
    await opened.db.query(`GRANT SELECT ON ALL TABLES IN SCHEMA "${opened.schema}" TO ${who}`);
    expect(await look(opened.schema)).toEqual({
      ...found(''),
      message: expect.stringMatching(/ may not change \d+ tables, such as \w+\.$/),
    });
  });

  it('is told of tables that are there and closed what helps: rights on the tables, not on the database', async () => {
    const opening = () => openPostgresStore(options(as(opened.schema), CLOCK));
    const refused = (of: string) => ({
      code: 'E22',
      message: expect.stringContaining(`may not be used so by this user (permission denied for ${of}`),
      next: [expect.stringMatching(/^GRANT USAGE ON SCHEMA .* GRANT ALL ON ALL TABLES IN SCHEMA/), expect.any(String), 'aieval doctor'],
    });
    await expect(opening()).rejects.toMatchObject(refused('schema'));
    await opened.db.query(`GRANT USAGE ON SCHEMA "${opened.schema}" TO ${who}`);
    await expect(opening()).rejects.toMatchObject(refused('table'));
    await opened.db.query(`GRANT SELECT ON ALL TABLES IN SCHEMA "${opened.schema}" TO ${who}`);
    const store = await opening();
    await expect(store.setMaxRunning(1)).rejects.toMatchObject(refused('table'));
    await store.close();
  });
});
