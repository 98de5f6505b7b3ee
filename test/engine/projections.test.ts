import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeJobArtifacts, writePendingArtifacts, writeRunFiles } from '../../src/engine/projections.ts';
import type { Store } from '../../src/store/store.ts';
import { Bench, Clock } from '../store/bench.ts';
import { job } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';

describe('writeRunFiles', () => {
  let opened: SqliteBench;
  let bench: Bench;
  let outDir: string;

  beforeEach(async () => {
    const clock = new Clock();
    opened = await openTempStore(clock.read);
    bench = new Bench(opened.store, clock);
    outDir = join(opened.folder, 'out');
    await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2), job('j4', 3)], { outDir });
  });
  afterEach(() => opened.dispose());

  /** The store, which calls `meanwhile` each time that a writer begins to read the rows. */
  function busyStore(meanwhile: () => Promise<void>): Store {
    const busy: Store = Object.create(opened.store);
    busy.getRun = async (runId) => {
      const run = await opened.store.getRun(runId);
      await meanwhile();
      return run;
    };
    busy.documents = (runId) => opened.store.documents(runId);
    for (const verb of ['runTotals', 'jobRows', 'canonicalText', 'markSummary'] as const) {
      Object.assign(busy, { [verb]: opened.store[verb].bind(opened.store) });
    }
    return busy;
  }

  const states = () =>
    readFileSync(join(outDir, 'results.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line): unknown => JSON.parse(line).state);

  it('writes again what changed while it wrote, and then marks it', async () => {
    let ends = 0;
    const meanwhile = async () => {
      if (ends < 2) await bench.complete(await bench.claimed('r1'));
      ends += 1;
    };
    const run = await bench.run('r1');
    await writeRunFiles({ store: busyStore(meanwhile), run, version: '0.1.0' });
    expect(ends).toBe(3);
    expect(states()).toEqual(['succeeded', 'succeeded', 'queued', 'queued']);
    expect(await bench.run('r1')).toMatchObject({ summaryAtMs: bench.clock.nowMs });
  });

  it('leaves files unmarked that never catch up', async () => {
    const meanwhile = async () => bench.complete(await bench.claimed('r1'));
    await writeRunFiles({ store: busyStore(meanwhile), run: await bench.run('r1'), version: '0.1.0' });
    expect(states()).toEqual(['succeeded', 'succeeded', 'succeeded', 'queued']);
    expect(await bench.run('r1')).toMatchObject({ summaryAtMs: null });
  });

  it('a folder that a slow process overwrote with what it had read long ago is written again', async () => {
    const projection = { store: opened.store, run: await bench.run('r1'), version: '0.1.0' };
    const verdict = (): unknown => JSON.parse(readFileSync(join(outDir, 'jobs', 'j1', 'result.json'), 'utf8')).verdict;
    await bench.complete(await bench.claimed('r1'), { verdict: 'fail' });
    const slow = await bench.store.jobRecord('r1', 'j1');
    if (slow === null) throw new Error('no job j1');
    bench.clock.pass(1000);
    await bench.store.retryJobs('r1', { of: 'failed', jobIds: ['j1'], reasons: null });
    await bench.complete(await bench.claimed('r1'));
    await writePendingArtifacts(projection);
    expect(verdict()).toBe('pass');

    await writeJobArtifacts(projection, slow);
    expect(verdict()).toBe('fail');
    expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map(({ jobId }) => jobId)).toEqual(['j1']);
    await writePendingArtifacts(projection);
    expect(verdict()).toBe('pass');
    expect(await bench.store.jobsWithoutArtifacts('r1', 10)).toEqual([]);
  });

  it('reads the rows once for the results and the summary', async () => {
    const pages: number[] = [];
    const store: Store = Object.create(opened.store);
    for (const verb of ['getRun', 'documents', 'runTotals', 'canonicalText', 'markSummary'] as const) {
      Object.assign(store, { [verb]: opened.store[verb].bind(opened.store) });
    }
    store.jobRows = async (runId, page) => {
      pages.push(page.after);
      return await opened.store.jobRows(runId, page);
    };
    await writeRunFiles({ store, run: await bench.run('r1'), version: '0.1.0' });
    expect(pages).toEqual([-1, 3]);
    expect(readFileSync(join(outDir, 'summary.md'), 'utf8')).toContain('4');
  });

  it('notes the folders of many ended jobs in few transactions', async () => {
    await bench.plan(
      'many',
      Array.from({ length: 120 }, (_, seq) => job(`m${seq}`, seq, { steps: [], failure: { reason: 'document_empty', message: 'empty' } })),
      { outDir },
    );
    const noted: number[] = [];
    const store: Store = Object.create(opened.store);
    for (const verb of ['getRun', 'jobsWithoutArtifacts', 'jobRecords', 'canonicalText', 'response'] as const) {
      Object.assign(store, { [verb]: opened.store[verb].bind(opened.store) });
    }
    store.markArtifacts = async (runId, folder, rows) => {
      noted.push(rows.length);
      await opened.store.markArtifacts(runId, folder, rows);
    };
    await writePendingArtifacts({ store, run: await bench.run('many'), version: '0.1.0' });
    expect(noted).toEqual([50, 50, 20]);
    expect(readdirSync(join(outDir, 'jobs'))).toHaveLength(120);
  });

  it('writes the folders of ended jobs once', async () => {
    await bench.complete(await bench.claimed('r1'));
    await writePendingArtifacts({ store: opened.store, run: await bench.run('r1'), version: '0.1.0' });
    expect(await bench.store.jobsWithoutArtifacts('r1', 10)).toEqual([]);
    expect(JSON.parse(readFileSync(join(outDir, 'jobs', 'j1', 'result.json'), 'utf8'))).toMatchObject({ jobId: 'j1', state: 'succeeded' });
  });
});
