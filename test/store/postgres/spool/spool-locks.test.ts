import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Liveness } from '../../../../src/store/machine/liveness.ts';
import { SpoolLocks } from '../../../../src/store/postgres/spool/spool-locks.ts';
import { ensurePrivateFolder } from '../../../../src/store/spool/spool-folder.ts';

const userId = process.geteuid?.() ?? null;
const STORE = 'store-1';

describe('what the lock of a worker on a server says', () => {
  let base: string;
  let folders: [string, string];
  let looker: SpoolLocks;
  const held: { close: () => unknown }[] = [];

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'aieval-locks-'));
    folders = [join(base, 'state'), join(base, 'tmp')];
    for (const folder of folders) ensurePrivateFolder(folder, userId);
    looker = new SpoolLocks({ storeId: STORE, folders, userId });
  });
  afterEach(async () => {
    for (const one of held.splice(0)) await one.close();
    rmSync(base, { recursive: true });
  });

  /** The lock of another process; it stays free behind one that died. */
  function lockIn(folder: string, how: 'held' | 'free'): void {
    const liveness = new Liveness(join(folder, STORE));
    liveness.hold('w1');
    if (how === 'free') liveness.close();
    else held.push(liveness);
  }

  it('is nothing where there is none', async () => {
    expect(await looker.fate('w1')).toBe('unknown');
  });

  it('is that it lives, or died, in whichever folder it is', async () => {
    for (const folder of folders) {
      lockIn(folder, 'held');
      expect(await looker.fate('w1')).toBe('alive');
      for (const one of held.splice(0)) one.close();
      expect(await looker.fate('w1')).toBe('dead');
      await looker.forget('w1');
      expect(await looker.fate('w1')).toBe('unknown');
    }
  });

  it('is that it lives while it is held in one folder and free in another', async () => {
    lockIn(folders[0], 'free');
    lockIn(folders[1], 'held');
    expect(await looker.fate('w1')).toBe('alive');
  });

  it('is nothing where others may lay a free one', async () => {
    lockIn(folders[0], 'free');
    chmodSync(folders[0], 0o777);
    expect(await looker.fate('w1')).toBe('unknown');
    await looker.forget('w1');
    chmodSync(folders[0], 0o700);
    expect(await looker.fate('w1')).toBe('dead');
  });

  it('is that it lives, to its own process', async () => {
    await looker.hold('w1');
    held.push(looker);
    expect(await looker.fate('w1')).toBe('alive');
  });
});
