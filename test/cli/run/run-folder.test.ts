import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyHere, folderHere, makeCopyFolder, makeRunFolder, openedInFolder, probeRunFolder } from '../../../src/cli/run/run-folder.ts';
import { areFilesHere } from '../../../src/engine/files-here.ts';
import type { OpenedRun, RunRow } from '../../../src/store/rows.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aieval-folders-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const SHARED = { spansMachines: true };
const FILE = { spansMachines: false };

const place = () => ({ folder: join(dir, '.aieval'), found: true, db: 'postgres://h/db', runs: join(dir, '.aieval', 'runs') });
const run = () => ({ runId: 'r-1', outDir: join(place().runs, 'r-1') });
const opened = (outDir: string): OpenedRun => {
  const row: Partial<RunRow> = { runId: 'r-1', outDir };
  return { run: Object.assign(Object.create(null), row), joined: false };
};

describe('the folder of a run whose store machines share', () => {
  test('is made by whoever starts the run, and by nobody else', async () => {
    probeRunFolder(SHARED, run());
    expect([existsSync(run().outDir), areFilesHere({ store: SHARED, run: run() })]).toEqual([false, false]);
    await openedInFolder(SHARED, run().outDir, async () => {
      expect(existsSync(run().outDir)).toBe(true);
      return opened(run().outDir);
    });
    expect(areFilesHere({ store: SHARED, run: run() })).toBe(true);
  });

  test('is not left behind where another run was joined, or none was opened', async () => {
    await openedInFolder(SHARED, run().outDir, async () => opened('/elsewhere/r-2'));
    expect(readdirSync(place().runs)).toEqual([]);
    const refused = openedInFolder(SHARED, run().outDir, () => Promise.reject(new Error('refused')));
    await expect(refused).rejects.toThrow('refused');
    expect(readdirSync(place().runs)).toEqual([]);
  });

  test('is no copy that bears its name, until the run moves there', () => {
    mkdirSync(join(makeCopyFolder(place(), run()), 'jobs'));
    expect(areFilesHere({ store: SHARED, run: run() })).toBe(false);
    expect([folderHere(SHARED, run(), place()), copyHere(place(), run())]).toEqual([run().outDir, run().outDir]);
    expect(readdirSync(run().outDir)).toEqual(['jobs']);
    makeRunFolder(run());
    expect(areFilesHere({ store: SHARED, run: run() })).toBe(true);
    expect(copyHere(place(), run())).toBeNull();
  });
});

test('the folder of a run in a file is made anew wherever it is gone', () => {
  expect(areFilesHere({ store: FILE, run: run() })).toBe(true);
  probeRunFolder(FILE, run());
  expect(existsSync(run().outDir)).toBe(true);
});
