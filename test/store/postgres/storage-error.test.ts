import { DatabaseError } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/domain/errors.ts';
import { openClient } from '../../../src/store/postgres/connect.ts';
import { postgresPlace } from '../../../src/store/postgres/connection.ts';
import { isPassing } from '../../../src/store/postgres/postgres-errors.ts';
import { connectError, storageError } from '../../../src/store/postgres/storage-error.ts';
import { type PostgresBench, TestSchemas } from './open-store.ts';

const schemas = new TestSchemas();
let opened: PostgresBench;
beforeAll(async () => {
  opened = await schemas.open(() => 1000);
});
afterAll(async () => {
  await opened.dispose();
  await schemas.drop();
});

/** What the server says with this SQLSTATE. */
async function raised(code: string): Promise<unknown> {
  try {
    await opened.db.query(`DO $$ BEGIN RAISE EXCEPTION 'why' USING ERRCODE = '${code}'; END $$`);
  } catch (error) {
    return error;
  }
  throw new Error('It was not raised');
}

const codedError = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const told = (error: unknown) => (error instanceof UserError ? `${error.code} ${error.message} ${error.next[0]}` : error);

describe('an error of the server', () => {
  it.each([
    ['08006', 'E40', 'does not answer (why); everything settled so far is safe.', 'start the server'],
    ['08P01', 'E40', 'does not answer (why); everything settled so far is safe.', 'what stands before it'],
    ['22P05', 'E22', 'cannot hold every character (why).', 'UTF8'],
    ['25006', 'E22', 'is read-only (why).', 'the URL of the primary server'],
    ['28P01', 'E22', 'refuses this user (why).', 'check the user of the URL and the password'],
    ['28000', 'E22', 'refuses this user (why).', 'check the user of the URL and the password'],
    ['3D000', 'E22', 'does not exist (why).', 'createdb, by the name in the URL'],
    ['3F000', 'E22', 'has lost tables or functions that it had (why).', 'restore'],
    ['40001', 'E40', 'undid the same change again and again (why); everything settled so far is safe.', 'repeat'],
    ['40P01', 'E21', 'are locked by another program for too long.', 'pg_stat_activity'],
    ['42501', 'E22', 'may not be used so by this user (why).', 'GRANT ALL ON ALL TABLES IN SCHEMA'],
    ['42703', 'E22', 'has lost tables or functions that it had (why).', 'restore'],
    ['42883', 'E22', 'has lost tables or functions that it had (why).', 'restore'],
    ['42P01', 'E22', 'has lost tables or functions that it had (why).', 'restore'],
    ['53000', 'E40', 'has not what it needs (why); everything settled so far is safe.', 'log of the server'],
    ['53100', 'E24', 'has no room left on its disk (why); everything settled so far is safe.', 'free space on the server'],
    ['53200', 'E40', 'has no memory left (why); everything settled so far is safe.', 'more memory'],
    ['53300', 'E40', 'takes no more connections (why); everything settled so far is safe.', 'max_connections'],
    ['55P03', 'E21', 'are locked by another program for too long.', 'pg_stat_activity'],
    ['57014', 'E40', 'ends a statement before it is done, again and again (why); everything settled so far is safe.', 'load of the server'],
    ['57P01', 'E40', 'ended the connection (why); everything settled so far is safe.', 'wait until it takes connections'],
    ['57P03', 'E40', 'takes no connections yet (why); everything settled so far is safe.', 'wait until it takes connections'],
    ['57P04', 'E22', 'was removed (why).', 'restore'],
    ['58030', 'E22', 'cannot use its own files (why).', 'the disk and the log'],
    ['XX000', 'E22', 'has a fault (why).', 'log of the server'],
    ['XX001', 'E22', 'is damaged (why).', 'stop the workers'],
  ])('with SQLSTATE %s is told as what it is', async (sqlState, code, sentence, next) => {
    const error = storageError(await raised(sqlState), 'postgres://db/spec');
    expect(error).toMatchObject({ code, exitCode: 8, next: expect.arrayContaining([expect.stringContaining(next)]) });
    expect(told(error)).toContain(`postgres://db/spec ${sentence}`);
  });

  it.each(['22012', '23505', '42601', '54000'])('with SQLSTATE %s is a fault of the program, and stays as it is', async (sqlState) => {
    const error = await raised(sqlState);
    expect(storageError(error, 'postgres://db/spec')).toBe(error);
    expect(error).toBeInstanceOf(DatabaseError);
  });

  it('is waited for where it may pass: no other SQLSTATE is tried again', async () => {
    const waited: string[] = [];
    for (const code of [
      '25006',
      '28P01',
      '3D000',
      '40001',
      '40P01',
      '42501',
      '42P01',
      '53100',
      '53200',
      '53300',
      '55P03',
      '57014',
      '57P03',
    ])
      if (isPassing(await raised(code))) waited.push(code);
    expect(waited).toEqual(['25006', '40001', '40P01', '53200', '53300', '55P03', '57014', '57P03']);
  });
});

describe('a server that cannot be reached', () => {
  it.each([
    ['ECONNREFUSED', 'does not answer', 'start the server'],
    ['ENOENT', 'does not answer', 'the folder of its socket'],
    ['EACCES', 'may not be reached by this user', 'rights of the folder'],
    ['ENOTFOUND', 'has no address', 'check the name of the host'],
    ['EAI_AGAIN', 'has no address for now', 'name server'],
    ['EHOSTUNREACH', 'cannot be reached', 'check the network'],
    ['ENETUNREACH', 'cannot be reached', 'check the network'],
    ['EPERM', 'cannot be reached', 'check the network'],
    ['ETIMEDOUT', 'does not answer', 'check that the server runs, and the way to it'],
    ['ECONNRESET', 'does not answer', 'check that the server runs, and the way to it'],
  ])('by %s is told what to look at', (code, what, next) => {
    for (const error of [codedError(code), new AggregateError([codedError(code), codedError(code)])]) {
      const known = connectError(error, 'postgres://db/spec');
      expect(known).toMatchObject({ code: 'E40', exitCode: 8, next: [expect.stringContaining(next), 'aieval doctor'] });
      expect(told(known)).toContain(`postgres://db/spec ${what} (connect ${code}`);
    }
  });

  it('a host that nobody knows is a matter of its name', async () => {
    const opening = openClient(postgresPlace('postgres://ann:secret@no-such-host.invalid/spec'), {});
    await expect(opening).rejects.toMatchObject({ code: 'E40', message: expect.stringMatching(/has no address.*(?:ENOTFOUND|EAI_AGAIN)/) });
  });

  it('too many open files are the matter of this machine, and stay as they are', () => {
    const error = codedError('EMFILE');
    expect(connectError(error, 'postgres://db/spec')).toBe(error);
  });

  it('that refuses a setting or asks for a password that nobody gave says so', async () => {
    const url = new URL(opened.location);
    url.searchParams.set('options', '-c no_such_setting=1');
    await expect(openClient(postgresPlace(url.href), {})).rejects.toMatchObject({
      code: 'E22',
      message: expect.stringContaining('refuses the connection (unrecognized configuration parameter "no_such_setting")'),
    });
    const asked = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    expect(connectError(asked, 'postgres://db/spec')).toMatchObject({ code: 'E22', next: [expect.stringContaining('PGPASSWORD')] });
  });
});
