import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveGlobals } from '../../src/cli/globals.ts';
import { FakeStream, fakeIo } from './fake-io.ts';

test('paths are relative to the folder that -C names, and the flag beats the environment', () => {
  const io = fakeIo({ cwd: '/', env: { AIEVAL_DB: 'env.db' } });
  const there = resolveGlobals({ C: tmpdir(), out: 'runs' }, io);
  expect(there.io.cwd).toBe(tmpdir());
  expect(there.globals).toMatchObject({ db: join(tmpdir(), 'env.db'), out: join(tmpdir(), 'runs') });
  expect(resolveGlobals({ db: 'flag.db' }, io).globals.db).toBe('/flag.db');
  expect(resolveGlobals({}, fakeIo({ env: { AIEVAL_DB: '' } })).globals.db).toBeNull();
});

test('of a file and a server the one that was named louder is used, and a server must be one', () => {
  const url = 'postgres://ann:secret@db.example/aieval';
  const io = fakeIo({ cwd: '/', env: { AIEVAL_STORE: url } });
  expect(resolveGlobals({}, io).globals.db).toBe(url);
  expect(resolveGlobals({ db: 'flag.db' }, io).globals.db).toBe('/flag.db');
  expect(resolveGlobals({ store: url }, fakeIo({ cwd: '/', env: { AIEVAL_DB: 'env.db' } })).globals.db).toBe(url);
  expect(() => resolveGlobals({ store: url, db: 'flag.db' }, fakeIo())).toThrow('flag --db and flag --store both name where runs are kept');
  const none = () => resolveGlobals({ store: 'secret.db' }, fakeIo());
  expect(none).toThrow('flag --store must be the URL of a PostgreSQL database');
  expect(none).not.toThrow('secret.db');
});

test('a database of another kind is refused before anything is made of it, and its password is not repeated', () => {
  const url = 'postgres://u:secret@db.example/aieval';
  for (const wrong of [() => resolveGlobals({ db: url }, fakeIo()), () => resolveGlobals({}, fakeIo({ env: { AIEVAL_DB: url } }))]) {
    expect(wrong).toThrow('a server is named with --store');
    expect(wrong).not.toThrow('secret');
  }
  expect(() => resolveGlobals({ db: 'mysql://u:secret@db/x' }, fakeIo())).toThrow('stores of kind "mysql" are not supported');
  expect(resolveGlobals({ db: 'sqlite:flag.db' }, fakeIo({ cwd: '/' })).globals.db).toBe('/flag.db');
});

test.each([
  ['a URL', 'postgres://u:secret@db.example/aieval'],
  ['a line break', '/tmp/secret\nnext: rm -r /'],
])('what no path can be is refused where one is meant, and is not repeated: %s', (what, wrong) => {
  for (const flags of [{ out: wrong }, { C: wrong }, ...(what === 'a URL' ? [] : [{ db: wrong }])]) {
    const resolved = () => resolveGlobals(flags, fakeIo());
    expect(resolved).toThrow(
      expect.objectContaining({ code: 'E00', exitCode: 2, message: expect.stringContaining(`must be a path, got ${what}`) }),
    );
    expect(resolved).not.toThrow('secret');
  }
  expect(() => resolveGlobals({}, fakeIo({ env: { AIEVAL_OUT: wrong } }))).toThrow(`AIEVAL_OUT must be a path, got ${what}`);
});

test('--json silences stderr, unless a display is named', () => {
  const io = fakeIo({ stderr: new FakeStream(100) });
  expect(resolveGlobals({}, io).globals.display).toBe('full');
  expect(resolveGlobals({ json: true }, io).globals.display).toBe('none');
  expect(resolveGlobals({ json: true, display: 'full' }, io).globals.display).toBe('full');
});

test('--trust-fs is AIEVAL_TRUST_FS=1', () => {
  expect(resolveGlobals({ trustFs: true }, fakeIo({ env: { CI: '1' } })).io.env).toEqual({ CI: '1', AIEVAL_TRUST_FS: '1' });
  expect(resolveGlobals({}, fakeIo({ env: { CI: '1' } })).io.env).toEqual({ CI: '1' });
});

test('colour is decided for each stream', () => {
  const io = fakeIo({ stderr: new FakeStream(100) });
  expect(resolveGlobals({}, io).globals.colour).toEqual({ stdout: false, stderr: true });
  expect(resolveGlobals({ color: false }, io).globals.colour).toEqual({ stdout: false, stderr: false });
});

test('flags beat variables, these the user config, and that the defaults', () => {
  const config = {
    path: '/etc/aieval/config.json',
    values: { db: 'own.db', out: '/runs', display: 'none', logFormat: 'json', noColor: true, noInput: true, trustFs: true } as const,
  };
  const io = fakeIo({ cwd: '/', stderr: new FakeStream(100) });
  const own = resolveGlobals({}, io, { config, envFiles: [] });
  expect(own.globals).toMatchObject({ db: '/etc/aieval/own.db', out: '/runs', display: 'none', logFormat: 'json' });
  expect(own.globals.colour.stderr).toBe(false);
  expect(own.io.env).toEqual({ AIEVAL_TRUST_FS: '1', AIEVAL_NO_INPUT: '1' });
  const env = {
    AIEVAL_DB: 'e.db',
    AIEVAL_OUT: 'e',
    AIEVAL_DISPLAY: 'plain',
    AIEVAL_LOG_FORMAT: 'text',
    AIEVAL_TRUST_FS: '0',
    AIEVAL_NO_INPUT: 'no',
  };
  const stated = resolveGlobals({}, { ...io, env }, { config, envFiles: [] });
  expect(stated.globals).toMatchObject({ db: '/e.db', out: '/e', display: 'plain', logFormat: 'text' });
  expect(stated.io.env).toMatchObject({ AIEVAL_TRUST_FS: '0', AIEVAL_NO_INPUT: '0' });
  const flags = { db: 'f.db', out: 'f', display: 'full', logFormat: 'json', trustFs: true, input: false } as const;
  const typed = resolveGlobals(flags, { ...io, env }, { config, envFiles: [] });
  expect(typed.globals).toMatchObject({ db: '/f.db', out: '/f', display: 'full', logFormat: 'json' });
  expect(typed.io.env).toMatchObject({ AIEVAL_TRUST_FS: '1', AIEVAL_NO_INPUT: '1' });
  expect(Object.values(typed.globals.said).map(({ from }) => from)).toEqual([
    'flag --db',
    'default',
    'flag --out',
    'flag --display',
    'flag --log-format',
    'user config /etc/aieval/config.json',
    'flag --no-input',
    'flag --trust-fs',
  ]);
  expect(resolveGlobals({}, io).globals).toMatchObject({ db: null, out: null, display: 'full', logFormat: 'text' });
});

test("hosts of the user config are added to those of the environment, and a word for colour beats the config's against it", () => {
  const config = { path: '/c.json', values: { allowHosts: ['own.example'], noColor: true } };
  const io = fakeIo({ env: { AIEVAL_ALLOW_HOSTS: 'lab.example', FORCE_COLOR: '1' } });
  const { io: there, globals } = resolveGlobals({}, io, { config, envFiles: [] });
  expect(there.env.AIEVAL_ALLOW_HOSTS).toBe('lab.example,own.example');
  expect(globals.colour.stdout).toBe(true);
});

test.each([
  ['AIEVAL_DISPLAY', 'loud', 'full, plain or none'],
  ['AIEVAL_LOG_FORMAT', 'xml', 'text or json'],
  ['AIEVAL_NO_INPUT', 'maybe', 'true or false'],
  ['AIEVAL_TRUST_FS', 'ja', 'true or false'],
])('%s=%s is refused by name', (variable, value, form) => {
  expect(() => resolveGlobals({}, fakeIo({ env: { [variable]: value } }))).toThrow(`${variable} must be ${form}, got "${value}"`);
});
