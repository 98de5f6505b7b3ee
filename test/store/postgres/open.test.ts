import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/domain/errors.ts';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { options, TestSchemas } from './open-store.ts';

const CLOCK = () => 1000;
const schemas = new TestSchemas();
afterAll(() => schemas.drop());

async function refused(location: string): Promise<UserError> {
  try {
    await openPostgresStore(options(location, CLOCK));
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('It was opened');
}

describe('a store on PostgreSQL', () => {
  it('is made once by processes that start together', async () => {
    const { location, schema, db, another, dispose } = await schemas.open(CLOCK);
    await db.query(`DROP SCHEMA "${schema}" CASCADE`);
    await Promise.all([another(), another(), another(), another()]);
    const { rows } = await db.query('SELECT version, breaking FROM aieval_migrations');
    expect(rows).toEqual([{ version: 1, breaking: true }]);
    expect((await db.query('SELECT count(*) AS stores FROM store')).rows).toEqual([{ stores: 1 }]);
    expect(location).toContain(`schema=${schema}`);
    await dispose();
  });

  it('of a newer version is refused before anything is written, unless older ones may go on', async () => {
    const { location, db, dispose } = await schemas.open(CLOCK);
    await db.query('INSERT INTO aieval_migrations (version, breaking) VALUES (2, false)');
    await (await openPostgresStore(options(location, CLOCK))).close();
    await db.query('UPDATE aieval_migrations SET breaking = true WHERE version = 2');
    expect(await refused(location)).toMatchObject({ code: 'E22', exitCode: 8, message: expect.stringContaining('newer aieval (schema 2') });
    await db.query('DELETE FROM aieval_migrations WHERE version = 2');
    await dispose();
  });

  it('is refused in a schema that holds tables of another program', async () => {
    const { location, schema, db, dispose } = await schemas.open(CLOCK);
    const other = `${schema.slice(0, 20)}_other`;
    await db.query(`CREATE SCHEMA "${other}"; CREATE TABLE "${other}".things (id int)`);
    const url = new URL(location);
    url.searchParams.set('schema', other);
    expect((await refused(url.href)).message).toContain('holds tables of another program; nothing was changed');
    expect((await db.query(`SELECT to_regclass('"${other}".runs') AS runs`)).rows).toEqual([{ runs: null }]);
    await db.query(`DROP SCHEMA "${other}" CASCADE`);
    await dispose();
  });

  it('is refused without its password being shown, where no server answers', async () => {
    const error = await refused('postgres://ann:secret@127.0.0.1:1/spec');
    expect(error).toMatchObject({ code: 'E40', exitCode: 8 });
    expect(error.message).toContain('postgres://127.0.0.1:1/spec (schema aieval) does not answer');
    expect(error.message + error.next.join()).not.toContain('secret');
  });
});
