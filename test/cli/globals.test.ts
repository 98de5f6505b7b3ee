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

test('a database of another kind is refused before anything is made of it, and its password is not repeated', () => {
  const url = 'postgres://u:secret@db.example/aieval';
  for (const wrong of [() => resolveGlobals({ db: url }, fakeIo()), () => resolveGlobals({}, fakeIo({ env: { AIEVAL_DB: url } }))]) {
    expect(wrong).toThrow('stores of kind "postgres" are not supported yet');
    expect(wrong).not.toThrow('secret');
  }
  expect(resolveGlobals({ db: 'sqlite:flag.db' }, fakeIo({ cwd: '/' })).globals.db).toBe('/flag.db');
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
