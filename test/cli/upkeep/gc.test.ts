import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveGlobals } from '../../../src/cli/globals.ts';
import { cacheClearCommand } from '../../../src/cli/upkeep/cache-drop.ts';
import { gcCommand } from '../../../src/cli/upkeep/gc.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { document, job, newRun, worker } from '../../store/rows.ts';
import { options } from '../../store/sqlite/open-store.ts';
import { type FakeIo, FakeStream, fakeIo } from '../fake-io.ts';

let dir = '';
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'aieval-gc-'));
  mkdirSync(join(dir, '.aieval'));
  const store = await openSqliteStore(options(join(dir, '.aieval', 'aieval.db'), () => 1_000_000));
  await store.openRun(newRun('r1', { outDir: join(dir, '.aieval', 'runs', 'r1') }));
  await store.addDocuments('r1', [document('a.md')]);
  await store.addJobs('r1', [job('j1', 0)]);
  await store.cancelRun('r1');
  await store.close();
});
afterEach(() => rmSync(dir, { recursive: true }));

function atTerminal(typed: string): FakeIo {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(typed);
  return fakeIo({ cwd: dir, stderr: new FakeStream(100), stdout: new FakeStream(100), stdin });
}

async function gc(io: FakeIo): Promise<number> {
  return await gcCommand(io, resolveGlobals({}, io).globals, { keepDays: 30, keepRuns: 0 });
}

test('a person who says no keeps everything; one who says yes is told what went', async () => {
  const no = atTerminal('n\n');
  expect(await gc(no)).toBe(0);
  expect(no.stderr.text).toMatch(
    /^RUN[\s\S]*r1 +sample +cancelled[\s\S]*Remove 1 run and 3 rows that nothing needs \([^)]*\)\? \[y\/N\] Nothing was removed\.\n$/,
  );
  expect(no.stdout.text).toBe('');
  const yes = atTerminal('y\n');
  expect(await gc(yes)).toBe(0);
  expect(yes.stdout.text).toMatch(/^Removed 1 run and 3 rows that nothing needs \(\d+ B\)\.\n$/);
  const again = atTerminal('');
  expect(await gc(again)).toBe(0);
  expect(again.stdout.text).toBe('Nothing to remove.\n');
  expect(again.stderr.text).toBe('');
});

test('a cancelled run stays while paid work of it is not ended, and the command that ends it is named', async () => {
  const store = await openSqliteStore(options(join(dir, '.aieval', 'aieval.db'), () => 1_000_000));
  await store.openRun(newRun('r2', { outDir: join(dir, '.aieval', 'runs', 'r2') }));
  await store.addDocuments('r2', [document('a.md')]);
  await store.addJobs('r2', [job('j1', 0)]);
  await store.registerWorker(worker('w1'));
  expect((await store.claim({ runId: 'r2', workerId: 'w1' })).kind).toBe('claimed');
  await store.cancelRun('r2');
  const io = atTerminal('y\n');
  expect(await gc(io)).toBe(0);
  expect(io.stderr.text).toContain('note: run r2 stays: 1 job of it is not ended; aieval cancel r2 ends what nobody works on\n');
  expect((await store.listRuns()).map(({ runId }) => runId)).toEqual(['r2']);
  await store.close();
});

test('an empty cache is cleared without a question', async () => {
  const io = atTerminal('');
  expect(await cacheClearCommand(io, resolveGlobals({}, io).globals, {})).toBe(0);
  expect(io.stderr.text).toBe('');
  expect(io.stdout.text).toBe('Dropped 0 answers.\n');
});
