import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/domain/errors.ts';
import { shownLocation } from '../../../src/store/location.ts';
import { postgresPlace } from '../../../src/store/postgres/connection.ts';

function refused(location: string): UserError {
  try {
    postgresPlace(location);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('It was read');
}

describe('the URL of a database', () => {
  it('names a schema that needs no quotes, by default aieval', () => {
    expect(postgresPlace('postgres://db.example/specs')).toMatchObject({ schema: 'aieval', connection: { host: 'db.example' } });
    expect(postgresPlace('postgres://db.example/specs?schema=team_a')).toMatchObject({ schema: 'team_a' });
    expect(refused('postgres://db.example/specs?schema=Team-A')).toMatchObject({ code: 'E22', exitCode: 2 });
  });

  it.each([
    ['postgres://ann:own@db.example:6543/specs', 'postgres://db.example:6543/specs'],
    ['postgresql:///specs?host=127.0.0.1&port=6543', 'postgresql://127.0.0.1:6543/specs'],
    ['postgres://db.example/specs?port=6543', 'postgres://db.example:6543/specs'],
    // The driver takes the parameter.
    ['postgres://db.example:5433/specs?port=6543', 'postgres://db.example:6543/specs'],
    ['postgres://db.example:5433/specs?host=other', 'postgres://other:5433/specs'],
    ['postgres:///specs?host=::1&port=6543', 'postgres://[::1]:6543/specs'],
    ['postgres://[::1]:6543/specs', 'postgres://[::1]:6543/specs'],
    ['postgres:///specs?host=/run/postgresql&port=6543', 'postgres:///run/postgresql:6543/specs'],
    ['postgres:///specs?host=/run/postgresql', 'postgres:///run/postgresql/specs'],
    ['postgres://db.example/specs', 'postgres://db.example/specs'],
  ])('%s is shown as the server that is asked, with its port', (location, shown) => {
    expect(postgresPlace(location).shown).toBe(`${shown} (schema aieval)`);
  });

  it('is shown without any password, with all that tells where it is', () => {
    expect(shownLocation('postgres:///specs?host=127.0.0.1&port=6543&password=own')).toBe('postgres:///specs?host=127.0.0.1&port=6543');
    expect(shownLocation('postgres://ann:own@h:6543/specs?sslpassword=own')).toBe('postgres://ann@h:6543/specs');
  });

  it('with sslmode means what libpq means by it', () => {
    const ssl = (mode: string) => postgresPlace(`postgres://db.example/specs?sslmode=${mode}`).connection.ssl;
    expect(ssl('disable')).toBe(false);
    expect(ssl('require')).toMatchObject({ rejectUnauthorized: false });
    // The driver's default: the server must prove its name.
    expect(ssl('verify-full')).toEqual({});
  });

  it('is refused with an sslmode that protects nobody, or that is none', () => {
    for (const mode of ['prefer', 'allow', 'no-verify', 'verify_full']) {
      const error = refused(`postgres://ann:secret@db.example/specs?sslmode=${mode}`);
      expect(error).toMatchObject({
        code: 'E22',
        exitCode: 2,
        message: 'sslmode must be one of disable, require, verify-ca, verify-full.',
      });
    }
    expect(refused('postgres://db.example/specs?sslmode=verify-ca').message).toContain('needs sslrootcert');
  });

  it('is refused with a parameter that nobody knows, or that is stated twice, and says which was meant', () => {
    const unknown = refused('postgres://ann:secret@db.example/specs?sslmod=verify-full');
    expect(unknown).toMatchObject({ code: 'E22', exitCode: 2 });
    expect(unknown.message).toBe('the URL has a parameter "sslmod" that is not known. Did you mean "sslmode"?');
    expect(refused('postgres://db.example/specs?shema=foo').message).toContain('Did you mean "schema"?');
    expect(refused('postgres://db.example/specs?toString=1').message).toContain('that is not known');
    expect(refused('postgres://db.example/specs?pgbouncer=true').message).toMatch(/"pgbouncer" that is not known\.$/);
    // The driver would take the last one, whatever was checked of the first.
    expect(refused('postgres://db.example/specs?sslmode=verify-full&sslmode=disable').message).toBe('the URL states sslmode twice.');
  });

  it('takes the parameters of libpq that it follows, and refuses by name those that it does not', () => {
    const { connection } = postgresPlace(
      'postgres:///specs?host=db.example&port=6543&user=ann&password=own&application_name=me&options=-cjit%3Doff',
    );
    expect(connection).toMatchObject({ host: 'db.example', port: 6543, user: 'ann', application_name: 'me', options: '-cjit=off' });
    for (const name of ['sslcrl', 'dbname', 'require_auth', 'passfile']) {
      const error = refused(`postgres://db.example/specs?${name}=1`);
      expect(error).toMatchObject({ code: 'E22', exitCode: 2, message: `aieval does not follow the parameter ${name} of the URL.` });
    }
  });

  it('takes those of libpq that ask for what is done anyway, and refuses those values that ask for more', () => {
    const plain = postgresPlace('postgres://ann@db.example/specs?sslmode=require');
    const stated =
      'connect_timeout=10&target_session_attrs=read-write&client_encoding=UTF8&channel_binding=prefer&keepalives=1&gssencmode=disable';
    const same = postgresPlace(`postgres://ann@db.example/specs?${stated}&sslmode=require`);
    expect({ ...same.connection, password: null }).toEqual({ ...plain.connection, password: null });
    for (const more of [
      'channel_binding=require',
      'target_session_attrs=standby',
      'keepalives=0',
      'gssencmode=require',
      'client_encoding=latin1',
    ]) {
      const error = refused(`postgres://db.example/specs?${more}`);
      expect(error).toMatchObject({ code: 'E22', exitCode: 2 });
      expect(error.message).toBe(`aieval does not follow ${more.replace(/=.*/, '')} of the URL with this value.`);
    }
  });

  it.each(['a#b', 'a/b', '12/34', 'a?b', '12?34', 'a%b', '#', 'a@b/c', 'a@b?c', '%ff'])(
    'with a password %s as it is, is refused with how to write it, and without the password',
    (password) => {
      const location = `postgres://ann:${password}@db.example/specs`;
      const error = refused(location);
      expect(error).toMatchObject({ code: 'E22', exitCode: 2, message: 'this is not a URL of a PostgreSQL database.' });
      expect(error.next.join()).toContain('%23');
      const said = [error.message, ...error.next, String(error.cause), shownLocation(location)].join();
      expect(said).not.toContain(`${password}@`);
      expect(shownLocation(location)).toBe('postgres://…');
      expect(postgresPlace(`postgres://ann:${encodeURIComponent(password)}@db.example/specs`).connection.password).toBe(password);
    },
  );

  it('is refused where a certificate cannot be read, several hosts are named, or it is no URL, without its password', () => {
    const missing = refused('postgres://ann:secret@db.example/specs?sslmode=verify-ca&sslrootcert=/nowhere/ca.pem');
    expect(missing.message).toMatch(/cannot be used \(ENOENT: .*\/nowhere\/ca\.pem/);
    const several = refused('postgres://ann:secret@a.example:1,b.example:2/specs');
    expect(refused('postgres://a.example,b.example/specs').message).toBe(several.message);
    expect(several.message).toBe('a URL that names several hosts is not supported.');
    const none = refused('postgres://ann:secret@db.example:port/specs');
    expect(none.message).toBe('this is not a URL of a PostgreSQL database.');
    for (const error of [missing, several, none])
      expect([error.message, ...error.next, String(error.cause)].join()).not.toContain('secret');
  });
});
