import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asOnlyWriter, LONGEST_WRITE_MS } from '../../src/engine/files-writer.ts';
import type { Projection } from '../../src/engine/projections.ts';
import { allFiles, rebuildFiles, writeUnwritten } from '../../src/engine/unwritten.ts';
import type { Store } from '../../src/store/store.ts';
import { Bench, Clock } from '../store/bench.ts';
import { job } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';

const WRITER = fileURLToPath(new URL('./hold-files.mjs', import.meta.url));
const PATIENT = { limitMs: LONGEST_WRITE_MS };

describe('the files of a run have one writer at a time', () => {
  let opened: SqliteBench;
  let bench: Bench;
  let other: Store;
  let outDir: string;

  beforeEach(async () => {
    const clock = new Clock();
    opened = await openTempStore(clock.read);
    bench = new Bench(opened.store, clock);
    other = await opened.another();
    outDir = join(opened.folder, 'out');
    await bench.plan('r1', [job('j1', 0)], { outDir });
    await bench.complete(await bench.claimed('r1'));
    await bench.store.finishRun('r1');
  });
  afterEach(() => opened.dispose());

  const projection = async (store: Store): Promise<Projection> => ({ store, run: await bench.run('r1'), version: '0.1.0' });

  /** The right to write, held by another process. */
  async function held() {
    const lock = await other.lockFiles('r1');
    if (lock === null) throw new Error('the files are locked already');
    return lock;
  }

  test('a second writer waits, and writes nothing when the first has written all', async () => {
    const order: string[] = [];
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const first = await projection(other);
    const firstEnd = asOnlyWriter(first, PATIENT, {
      write: async () => {
        order.push('first begins');
        await gate;
        await allFiles(first).write();
        order.push('first ends');
      },
    });
    while (order.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const secondEnd = asOnlyWriter(await projection(bench.store), PATIENT, { write: async () => void order.push('second') });
    go();
    expect([await firstEnd, await secondEnd]).toEqual(['written', 'current']);
    expect(order).toEqual(['first begins', 'first ends']);
  });

  test('a second writer that waited writes what changed since the first one wrote', async () => {
    const lock = await held();
    const end = asOnlyWriter(await projection(bench.store), PATIENT, allFiles(await projection(bench.store)));
    await lock.release();
    expect(await end).toBe('written');
    expect(await bench.run('r1')).toMatchObject({ summaryAtMs: bench.clock.nowMs });
    expect(existsSync(join(outDir, 'summary.md'))).toBe(true);
  });

  test('who does not get the right in time, or gives up, leaves the files unwritten and mended by whoever comes later', async () => {
    const lock = await held();
    const write = async () => {
      throw new Error('wrote without the right');
    };
    expect(await asOnlyWriter(await projection(bench.store), { limitMs: 60 }, { write })).toBe('busy');
    const giveUp = AbortSignal.abort();
    expect(await asOnlyWriter(await projection(bench.store), { ...PATIENT, giveUp }, { write })).toBe('busy');
    expect((await bench.store.runsWithoutSummary()).map(({ runId }) => runId)).toEqual(['r1']);
    // Somebody is at it: a command that only passes by neither waits nor complains.
    const warnings: string[] = [];
    await writeUnwritten(bench.store, '0.1.0', (message) => warnings.push(message));
    expect(warnings).toEqual([]);
    expect(existsSync(outDir)).toBe(false);
    await lock.release();
    await writeUnwritten(bench.store, '0.1.0', (message) => warnings.push(message));
    expect(await bench.store.runsWithoutSummary()).toEqual([]);
    expect(readFileSync(join(outDir, 'results.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  test('a writer that was killed before it wrote leaves nothing unwritten', async () => {
    const child = spawn(process.execPath, [WRITER, opened.path, 'r1'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(await bench.store.lockFiles('r1')).toBeNull();
    child.kill('SIGKILL');
    await once(child, 'close');
    const mended = await projection(bench.store);
    expect(await asOnlyWriter(mended, { limitMs: 0 }, allFiles(mended))).toBe('written');
    expect(await bench.store.runsWithoutSummary()).toEqual([]);
  });

  test('the right is given back when the writing fails', async () => {
    const failing = { write: () => Promise.reject(new Error('disk full')) };
    await expect(asOnlyWriter(await projection(bench.store), PATIENT, failing)).rejects.toThrow('disk full');
    await (await held()).release();
  });

  test('files that say what the rows say are left alone; one that is missing, or not true any more, is written again', async () => {
    const rebuild = async () => rebuildFiles(await projection(bench.store), (message) => expect(message).toBe(''));
    const [results, summary] = [join(outDir, 'results.jsonl'), join(outDir, 'summary.md')];
    await rebuild();
    const written = readFileSync(results, 'utf8');
    writeFileSync(results, 'as it was left');
    await rebuild();
    expect(readFileSync(results, 'utf8')).toBe('as it was left');
    rmSync(summary);
    await rebuild();
    expect(readFileSync(results, 'utf8')).toBe(written);
    expect(existsSync(summary)).toBe(true);
    opened.db.exec(`UPDATE calls SET state = 'unknown'`);
    await rebuild();
    expect(readFileSync(results, 'utf8')).not.toBe(written);
  });

  test('a folder that is gone is rebuilt, also by who had to wait for another writer', async () => {
    await rebuildFiles(await projection(bench.store), () => undefined);
    rmSync(outDir, { recursive: true });
    const lock = await held();
    const rebuilt = rebuildFiles(await projection(bench.store), () => undefined);
    await lock.release();
    await rebuilt;
    expect(existsSync(join(outDir, 'jobs', 'j1', 'result.json'))).toBe(true);
    expect(existsSync(join(outDir, 'summary.md'))).toBe(true);
  });
});
