import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Heartbeat } from '../../../../src/store/heartbeat.ts';
import { storageError } from '../../../../src/store/sqlite/sqlite-errors.ts';

const THREAD = new URL('../../../../dist/store/sqlite/workers/heartbeat-thread.js', import.meta.url);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-heartbeat-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a heartbeat that the storage ended stops its worker with what the user can do, not as a bug', async () => {
  const path = join(folder, 'aieval.db');
  writeFileSync(path, 'These are not the bytes of a database. '.repeat(50));
  let heartbeat: Heartbeat | undefined;
  await new Promise<void>((resolve) => {
    heartbeat = new Heartbeat(THREAD, { workerId: 'w1', store: { path } }, () => resolve());
  });
  expect(() => heartbeat?.throwIfLost((cause) => storageError(cause, path))).toThrow(
    expect.objectContaining({ name: 'UserError', code: 'E22', exitCode: 8, message: `${path} is not a database; nothing was changed.` }),
  );
});
