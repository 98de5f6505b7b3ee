import { expect, test } from 'vitest';
import { withPgVariables } from '../../../src/cli/config/pg-variables.ts';
import { shownLocation } from '../../../src/store/location.ts';
import { postgresPlace } from '../../../src/store/postgres/connection.ts';

const ENV = { PGHOST: 'db.example', PGPORT: '6543', PGUSER: 'ann', PGPASSWORD: 'p@ss/word', PGDATABASE: 'specs', PGSSLMODE: 'verify-full' };
const connectionOf = (location: string, env: Readonly<Record<string, string>>) => postgresPlace(withPgVariables(location, env)).connection;

test('what a URL leaves open the PG* variables say', () => {
  const all = { host: 'db.example', port: 6543, user: 'ann', password: 'p@ss/word', database: 'specs' };
  expect(connectionOf('postgres://', ENV)).toMatchObject({ ...all, ssl: {} });
  expect(connectionOf('postgres:///papers', ENV)).toMatchObject({ ...all, database: 'papers' });
});

test('what a URL states it says louder, in whichever way', () => {
  const stated = { host: 'other', port: 5433, user: 'bob', password: 'own', database: 'papers', ssl: false };
  expect(connectionOf('postgres://bob:own@other:5433/papers?sslmode=disable', ENV)).toMatchObject(stated);
  expect(connectionOf('postgres:///papers?host=other&port=5433&user=bob&password=own&sslmode=disable', ENV)).toMatchObject(stated);
});

test('a password from a variable is shown as little as one of the URL', () => {
  const filled = withPgVariables('postgres:///papers', ENV);
  for (const shown of [shownLocation(filled), postgresPlace(filled).shown]) expect(shown).not.toMatch(/p@ss|p%40ss/);
  expect(postgresPlace(filled).shown).toBe('postgres://db.example:6543/papers (schema aieval)');
});

test('without variables, and where it is no URL, it stays as it is', () => {
  expect(withPgVariables('postgres://db.example/papers', {})).toBe('postgres://db.example/papers');
  expect(withPgVariables('postgres://a:1,b:2/c', ENV)).toBe('postgres://a:1,b:2/c');
});
