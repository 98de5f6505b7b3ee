import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveGlobals } from '../../../src/cli/globals.ts';
import { statusCommand } from '../../../src/cli/status/status.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { newRun } from '../../store/rows.ts';
import { options } from '../../store/sqlite/open-store.ts';
import { fakeIo } from '../fake-io.ts';

let cwd: string;
let db: string;
let store: Store;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'aieval-status-'));
  db = join(cwd, 'aieval.db');
  store = await openStore(db, options(db, Date.now));
  await store.openRun(newRun('r1'));
});
afterEach(async () => {
  await store.close();
  rmSync(cwd, { recursive: true });
});

test('a run that gc takes while it is watched ends the watch with one message', async () => {
  const gc = async (): Promise<void> => {
    await store.cancelRun('r1');
    await store.pruneRun('r1');
  };
  const io = { ...fakeIo({ cwd }), sleep: gc };
  await expect(statusCommand(io, resolveGlobals({ db }, io).globals, 'r1', { watch: true, interval: 1 })).rejects.toMatchObject({
    name: 'UserError',
    code: 'E31',
    exitCode: 2,
    message: 'run r1 is not in this database any more',
    next: ['aieval status'],
  });
});
