import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileSystemOf, type Machine, THIS_MACHINE } from '../../../src/store/machine/file-system-here.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { options } from './open-store.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'aieval-fs-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A Linux machine on which one folder is of this type, and all others are local. */
function linux(place: string, type: number): Machine {
  return { ...THIS_MACHINE, platform: 'linux', statfs: (asked) => ({ type: asked === place ? type : 0xef53, freeBytes: 1e9 }) };
}

describe('opening a store', () => {
  const open = (path: string, machine: Machine, trustUncertain = false, warnings: string[] = []) =>
    openSqliteStore({
      ...options(path, Date.now),
      fileSystem: { trustUncertain, machine, onTrusted: (warning) => warnings.push(warning) },
    });

  it('on a network file system is refused before anything is created', async () => {
    const path = join(folder, 'aieval.db');
    for (const trust of [false, true]) {
      await expect(open(path, linux(folder, 0x6969), trust)).rejects.toMatchObject({
        name: 'UserError',
        code: 'E22',
        exitCode: 8,
        message: `${path} is on a network file system (nfs): SQLite's locks and its log are not safe there.`,
        next: ['--db PATH on a local disk'],
      });
    }
    expect(existsSync(path)).toBe(false);
  });

  it('on a file system that may be one is refused, with the way to insist', async () => {
    const path = join(folder, 'aieval.db');
    await expect(open(path, linux(folder, 0x65735546))).rejects.toMatchObject({
      code: 'E22',
      exitCode: 8,
      message: `${path} is on a file system (fuse) where SQLite's locks and its log may not be safe.`,
      next: ['--db PATH on a local disk', expect.stringContaining('--trust-fs (AIEVAL_TRUST_FS=1)')],
    });
    expect(existsSync(path)).toBe(false);
  });

  it('is done with a warning by a person who insists', async () => {
    const path = join(folder, 'aieval.db');
    const warnings: string[] = [];
    await (await open(path, linux(folder, 0x01021997), true, warnings)).close();
    expect(existsSync(path)).toBe(true);
    expect(warnings).toEqual([`${path} is on a file system (9p) where SQLite's locks and its log may not be safe.`]);
  });

  it('goes by the folder of the file itself, not by that of a link to it or to its folder', async () => {
    const far = join(folder, 'far');
    mkdirSync(far);
    symlinkSync(far, join(folder, 'folder-link'));
    symlinkSync(join(far, 'not-there-yet.db'), join(folder, 'file-link.db'));
    for (const path of [join(folder, 'folder-link', 'aieval.db'), join(folder, 'file-link.db')]) {
      await expect(open(path, linux(far, 0x6969))).rejects.toMatchObject({ code: 'E22' });
      await expect(open(path, linux(folder, 0x6969)).then((store) => store.close())).resolves.toBeUndefined();
    }
  });
});

describe('the file system of a folder', () => {
  it('is read from the output of mount where type numbers mean nothing', () => {
    const mac: Machine = { ...THIS_MACHINE, platform: 'darwin', mountTable: () => 'nas:/x on /Volumes/x (nfs)\n/dev/disk1 on / (apfs)\n' };
    expect([fileSystemOf('/Volumes/x/y', mac), fileSystemOf('/Users', mac)].map(({ kind }) => kind)).toEqual(['network', 'local']);
  });

  it('is taken for local where mount cannot be started', () => {
    const mountTable = () => {
      throw Object.assign(new Error('spawn EPERM'), { code: 'EPERM' });
    };
    expect(fileSystemOf('/Users', { ...THIS_MACHINE, platform: 'darwin', mountTable })).toEqual({ kind: 'local', name: 'unknown' });
  });

  it('is read from the path on Windows', () => {
    expect(fileSystemOf('\\\\nas\\x', { ...THIS_MACHINE, platform: 'win32' }).kind).toBe('network');
  });

  it('of this machine can be told', () => {
    expect(fileSystemOf(folder, THIS_MACHINE).name).not.toBe('');
    expect(THIS_MACHINE.statfs(folder).freeBytes).toBeGreaterThan(0);
  });
});
