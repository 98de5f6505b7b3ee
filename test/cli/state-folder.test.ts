import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createState, findState, requireState, type StateRequest, statePlace } from '../../src/cli/state-folder.ts';
import { UserError } from '../../src/domain/errors.ts';
import { fakeIo } from './fake-io.ts';

function place(request: Partial<StateRequest>, ...folders: string[]) {
  return statePlace({ cwd: '/repo', manifestPath: null, db: null, out: null, ...request }, (path) => folders.includes(path));
}

describe('where the state is', () => {
  test('a command with a manifest finds the folder above the manifest, not above the current folder', () => {
    const found = place({ cwd: '/elsewhere', manifestPath: '/repo/specs/a/manifest.json' }, '/repo/.aieval', '/elsewhere/.aieval');
    expect(found).toEqual({ folder: '/repo/.aieval', found: true, db: '/repo/.aieval/aieval.db', runs: '/repo/.aieval/runs' });
  });

  test('the nearest folder wins', () => {
    expect(place({ manifestPath: '/repo/specs/manifest.json' }, '/repo/.aieval', '/repo/specs/.aieval').folder).toBe('/repo/specs/.aieval');
  });

  test('a command without a manifest looks upwards from the current folder', () => {
    expect(place({ cwd: '/repo/specs/deep' }, '/repo/.aieval').folder).toBe('/repo/.aieval');
  });

  test('without one, it belongs in the current folder when that contains the manifest', () => {
    expect(place({ manifestPath: '/repo/fixtures/manifest.json' })).toMatchObject({ folder: '/repo/.aieval', found: false });
    expect(place({ manifestPath: '/repo/manifest.json' }).folder).toBe('/repo/.aieval');
  });

  test('without one, it belongs beside a manifest that is elsewhere', () => {
    expect(place({ manifestPath: '/other/manifest.json' }).folder).toBe('/other/.aieval');
    expect(place({ manifestPath: '/repository/manifest.json' }).folder).toBe('/repository/.aieval');
    expect(place({ cwd: '/repo/sub', manifestPath: '/repo/manifest.json' }).folder).toBe('/repo/.aieval');
    expect(place({ cwd: '/repo', manifestPath: '/repo/..hidden/manifest.json' }).folder).toBe('/repo/.aieval');
  });

  test('--db moves the database only, --out the files only', () => {
    expect(place({ db: '/fast/x.db' })).toMatchObject({ db: '/fast/x.db', runs: '/repo/.aieval/runs' });
    expect(place({ out: '/big/runs' })).toMatchObject({ db: '/repo/.aieval/aieval.db', runs: '/big/runs' });
  });
});

describe('the state on disk', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'aieval-state-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const request = (change: Partial<StateRequest> = {}): StateRequest => ({
    cwd: dir,
    manifestPath: join(dir, 'manifest.json'),
    db: null,
    out: null,
    ...change,
  });

  test('the first use creates the folder, keeps it out of git, and says where it is; the second is silent', () => {
    const io = fakeIo({ cwd: dir });
    createState(io, findState(request()));
    expect(readFileSync(join(dir, '.aieval', '.gitignore'), 'utf8')).toBe('*\n');
    expect(io.stderr.lines).toEqual([`Runs and answers are kept in ${join(dir, '.aieval')}`]);
    const place = findState(request());
    createState(io, place);
    expect(place.found).toBe(true);
    expect(io.stderr.lines).toHaveLength(1);
  });

  test.each([
    ['on a server', () => 'postgres://db.example/aieval'],
    ['in another folder', () => join(dir, 'db', 'x.db')],
  ])('with the database %s it says that only files of runs are there', (_, db) => {
    const io = fakeIo({ cwd: dir });
    createState(io, findState(request({ db: db() })));
    expect(io.stderr.lines).toEqual([`Files of runs are kept in ${join(dir, '.aieval')}`]);
  });

  test('no folder is created when everything in it was moved elsewhere', () => {
    createState(fakeIo(), findState(request({ db: join(dir, 'db', 'x.db'), out: join(dir, 'runs') })));
    expect(existsSync(join(dir, '.aieval'))).toBe(false);
    expect(existsSync(join(dir, 'db'))).toBe(true);
  });

  test('a file called .aieval is not a state folder, and creating one there is a message, not a crash', () => {
    writeFileSync(join(dir, '.aieval'), '');
    const place = findState(request());
    expect(place.found).toBe(false);
    expect(() => createState(fakeIo(), place)).toThrow(expect.objectContaining({ code: 'E22', exitCode: 8 }));
  });

  test('a reading command without a database says where it looked and exits 2', async () => {
    await expect(requireState(findState(request()))).rejects.toThrow(UserError);
    mkdirSync(join(dir, '.aieval'));
    await expect(requireState(findState(request()))).rejects.toThrow(`${join(dir, '.aieval', 'aieval.db')} does not exist`);
    writeFileSync(join(dir, '.aieval', 'aieval.db'), '');
    await expect(requireState(findState(request()))).resolves.toBeUndefined();
  });
});
