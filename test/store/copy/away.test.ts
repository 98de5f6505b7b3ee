import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyStore } from '../../../src/store/copy/copy-store.ts';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import type { ServerNews } from '../../../src/store/server-news.ts';
import { Clock } from '../bench.ts';
import { options, type PostgresBench, TestSchemas } from '../postgres/open-store.ts';
import { BreakingProxy } from '../postgres/proxy.ts';
import { document, job, newRun } from '../rows.ts';
import { side } from './side.ts';

const TEST = { timeout: 90_000 };
/** Longer than what goes unsaid, shorter than what is waited for. */
const AWAY_MS = 4000;

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

describe('a server that breaks off while a store is copied', () => {
  const clock = new Clock();
  let source: PostgresBench;
  let target: PostgresBench;
  let proxy: BreakingProxy;

  beforeEach(async () => {
    source = await schemas.open(clock.read);
    await source.store.openRun(newRun('r1'));
    await source.store.addDocuments('r1', [document('a.md')]);
    await source.store.addJobs('r1', [job('j1', 0), job('j2', 1)]);
    await source.store.markPlanned('r1');
    target = await schemas.open(clock.read);
    proxy = new BreakingProxy(new URL(source.location));
  });
  afterEach(async () => {
    await proxy.close();
    await source.dispose();
    await target.dispose();
  });

  const through = (location: string) => proxy.location(new URL(location));

  test.each(['source', 'target'] as const)('is waited for, and the copy goes on where it was: the %s', TEST, async (which) => {
    const from = which === 'source' ? await through(source.location) : source.location;
    const to = which === 'target' ? await through(target.location) : target.location;
    const news: ServerNews[] = [];
    let broken = 0;
    const copied = await copyStore({
      from,
      to,
      options: { ...side(clock.read), onServer: (one) => void news.push(one) },
      onTable: (table) => {
        if (table !== 'runs' || broken > 0) return;
        broken += 1;
        proxy.become('cut');
        setTimeout(() => proxy.become('open'), AWAY_MS);
      },
    });
    expect(copied.tables.filter(({ same }) => !same)).toEqual([]);
    expect(copied.written).toBe(copied.tables.reduce((sum, { source: { rows } }) => sum + rows, 0));
    expect(news.filter(({ kind }) => kind === 'away')).toMatchObject([
      { shown: expect.stringContaining('postgres://127.0.0.1'), what: 'does not answer' },
    ]);
    const opened = await openPostgresStore(options(target.location, clock.read));
    expect((await opened.listRuns()).map(({ runId }) => runId)).toEqual(['r1']);
    await opened.close();
  });

  test('that stays away is given up, in words that name it', TEST, async () => {
    const from = await through(source.location);
    const copying = copyStore({ from, to: target.location, options: side(clock.read), onTable: () => proxy.become('cut') });
    const startedAtMs = performance.now();
    await expect(copying).rejects.toMatchObject({ code: 'E40', message: expect.stringMatching(/^postgres:\/\/127.* does not answer \(/) });
    await expect(copying).rejects.not.toMatchObject({ message: expect.stringContaining('queryable') });
    expect(performance.now() - startedAtMs).toBeGreaterThan(2 * AWAY_MS);
  });
});
