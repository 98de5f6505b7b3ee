import { existsSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { answer, apiError, cut, status } from '../../providers/scripted-server.ts';
import { until } from '../gated-server.ts';
import { hereJson } from '../here.ts';
import { goodAnswer, type Project } from '../project.ts';
import { type AtWork, atWork, manifestOf, placeFor, processIn, runIn, type Setting } from './at-work.ts';
import { expectBooksToAgree, expectLedgerToAgree, read } from './ledger.ts';
import { type Asked, costing, free, good, type ProviderScript, paid, type Reply, wireUsage } from './scriptable-provider.ts';

/** Answers at its longest: what is reserved for a call is about what it costs. */
function dear(asked: Asked): Reply {
  const billed = { input: asked.inputTokens, output: asked.maxOutputTokens };
  const scenario = answer(JSON.stringify(goodAnswer(asked.prompt)), { usage: wireUsage(billed), delayMs: 150 });
  return { scenario, billed };
}

/** So much output that the input, of which nobody knows the exact count before, matters little. */
const LONG_ANSWERS = { params: { maxOutputTokens: 1000 } };

/** The worst case of one call of these projects, as the ledger reserves it: the documents are all of one length. */
let worst = { nanoUsd: 0, tokens: 0 };
beforeAll(async () => {
  const { place } = await atWork(dear, { model: LONG_ANSWERS });
  await runIn(place);
  worst = read<typeof worst>(place, 'SELECT worst_nano_usd AS nanoUsd, worst_tokens AS tokens FROM calls')[0] ?? worst;
});

const usd = (nanoUsd: number): number => nanoUsd / 1e9;

/** Covers three calls at once, or one after the other, and no fourth. */
const COVERS_THREE = 3.1;

async function budgeted(respond: ProviderScript['respond'], budget: object, setting: Setting = {}): Promise<AtWork> {
  return atWork(respond, {
    documents: 50,
    limits: { concurrency: 50 },
    model: LONG_ANSWERS,
    ...setting,
    manifest: { budget, concurrency: 50, ...setting.manifest },
  });
}

const USED = 'SELECT total(spent_nano_usd + reserved_nano_usd + uncertain_nano_usd) AS used FROM run_totals';

/** Whether the store's tables are there. */
function isMade(place: Project): boolean {
  if (!existsSync(join(place.dir, '.aieval', 'aieval.db'))) return false;
  return read(place, `SELECT name FROM sqlite_schema WHERE name = 'group_totals'`).length > 0;
}

/** Looks at what is spent, reserved and uncertain as often as it can, until told to stop. Returns the most ever seen. */
function watchUse(place: Project): { readonly stop: () => number } {
  const db = new BetterSqlite3(join(place.dir, '.aieval', 'aieval.db'), { readonly: true });
  const statement = db.prepare<[], { used: number }>(USED);
  let most = 0;
  const look = (): void => {
    most = Math.max(most, statement.get()?.used ?? 0);
  };
  const timer = setInterval(look, 1);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      db.close();
      return most;
    },
  };
}

describe('a budget in USD', () => {
  test('that covers 3 of 50 parallel jobs lets 2 processes send 3, and is never passed, reserved included (litellm#18730, #34732)', async () => {
    const budgetNanoUsd = Math.round(COVERS_THREE * worst.nanoUsd);
    const { place, provider } = await budgeted(dear, { usd: usd(budgetNanoUsd) });
    const both = [processIn(place, 'run', 'manifest.json'), processIn(place, 'run', 'manifest.json')];
    await until(() => isMade(place));
    const watch = watchUse(place);
    const ends = await Promise.all(both.map(({ end }) => end));
    expect(watch.stop()).toBeLessThanOrEqual(budgetNanoUsd);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([6, 6]);
    expect(provider.requests).toHaveLength(3);
    expect(provider.billedNanoUsd()).toBeLessThanOrEqual(budgetNanoUsd);
    expect(await hereJson(place, 'status')).toMatchObject({ jobs: { succeeded: 3, queued: 47 }, cost: { budgetUsd: usd(budgetNanoUsd) } });
    await expectBooksToAgree(place, provider);
  });

  test('counts an answer without usage at its worst, not at nothing', async () => {
    const budgetNanoUsd = Math.round(COVERS_THREE * worst.nanoUsd);
    const blind = (asked: Asked): Reply => costing(asked, answer(JSON.stringify(goodAnswer(asked.prompt)), { usage: null }), 1000);
    const { place, provider } = await budgeted(blind, { usd: usd(budgetNanoUsd) }, { limits: { concurrency: 1 } });
    expect((await runIn(place)).exitCode).toBe(6);
    expect(provider.requests).toHaveLength(3);
    expect(provider.billedNanoUsd()).toBeLessThanOrEqual(budgetNanoUsd);
  });

  test('keeps what an unknown outcome may have cost until it is settled by hand (litellm#34147)', async () => {
    const budgetNanoUsd = Math.round(COVERS_THREE * worst.nanoUsd);
    const breaking = (asked: Asked): Reply => (asked.n <= 2 ? costing(asked, cut('{"fin', 'fin'), 1000) : dear(asked));
    const setting = { limits: { concurrency: 1 }, manifest: { retry: { attempts: 1 } } };
    const { place, provider } = await budgeted(breaking, { usd: usd(budgetNanoUsd) }, setting);
    expect((await runIn(place)).exitCode).toBe(6);
    expect(provider.requests).toHaveLength(3);
    expect(await hereJson(place, 'status')).toMatchObject({ cost: { uncertainCalls: 2, reservedUsd: 0 } });
    expect((await runIn(place)).exitCode).toBe(6);
    expect(provider.requests).toHaveLength(3);
    await place.aieval('budget', 'settle-unknown', '--at', 'zero');
    expect((await runIn(place)).exitCode).toBe(6);
    expect(provider.requests).toHaveLength(5);
  });

  test('raised by the next run lets the same run go on', async () => {
    const { place, provider } = await budgeted(dear, { usd: usd(COVERS_THREE * worst.nanoUsd) }, { documents: 6 });
    expect((await runIn(place)).exitCode).toBe(6);
    expect(provider.requests).toHaveLength(3);
    place.write(
      'manifest.json',
      manifestOf(provider.baseUrl, { model: LONG_ANSWERS, manifest: { budget: { usd: usd(20 * worst.nanoUsd) } } }),
    );
    expect(await runIn(place)).toMatchObject({ exitCode: 0, record: { jobs: { succeeded: 6 } } });
    expect(provider.requests).toHaveLength(6);
    await expectBooksToAgree(place, provider);
  });

  test('counts re-asks, retries and failed streams like any call', async () => {
    const respond = (asked: Asked): Reply => {
      if (asked.n === 1) return paid(asked, '{"findings":1}');
      if (asked.n === 3) return free(status(500, { error: { message: 'boom' } }));
      return asked.n === 5 ? costing(asked, cut('{', 'rst')) : good(asked);
    };
    const { place, provider } = await atWork(respond, {
      documents: 3,
      limits: { concurrency: 1 },
      manifest: { budget: { usd: 1 }, retry: { attempts: 4 } },
    });
    expect(await runIn(place)).toMatchObject({ exitCode: 0, record: { calls: 6, results: { pass: 3 }, cost: { uncertainCalls: 1 } } });
    expect(provider.requests).toHaveLength(6);
    const untold = provider.served[4]?.billed;
    await expectBooksToAgree(place, provider, (untold?.input ?? 0) * 1000 + (untold?.output ?? 0) * 2000);
  });

  test('below the expected cost is refused by plan with 6, below the worst case only warned of', async () => {
    const { place, provider } = await atWork(good, { documents: 3, manifest: { budget: { usd: 0.000_01 } } });
    expect((await place.aieval('plan', 'manifest.json')).exitCode).toBe(6);
    place.write('manifest.json', manifestOf(provider.baseUrl, { manifest: { budget: { usd: 0.05 } } }));
    expect((await place.aieval('plan', 'manifest.json')).exitCode).toBe(0);
    expect(provider.requests).toEqual([]);
  });

  test('of a model without a price, or without a longest answer, is refused before anything is sent', async () => {
    for (const model of [{ price: undefined }, { params: {} }]) {
      const { place, provider } = await atWork(good, { model, manifest: { budget: { usd: 1 } } });
      const { exitCode, stderr } = await runIn(place);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('budget.usd cannot be enforced');
      expect(provider.requests).toEqual([]);
    }
  });
});

test('a budget in tokens is as hard', async () => {
  const tokens = Math.round(COVERS_THREE * worst.tokens);
  const { place, provider } = await budgeted(dear, { tokens });
  expect((await runIn(place)).exitCode).toBe(6);
  const used = provider.served.reduce((sum, { billed }) => sum + (billed?.input ?? 0) + (billed?.output ?? 0), 0);
  expect(used).toBeLessThanOrEqual(tokens);
  expect(provider.requests).toHaveLength(3);
  await expectBooksToAgree(place, provider);
});

test('a budget in minutes counts the time in which somebody works: when it is over nothing more is sent', async () => {
  const { place, provider } = await budgeted(dear, { minutes: 0.02 }, { limits: { concurrency: 1 } });
  const { exitCode, record } = await runIn(place);
  expect(exitCode).toBe(6);
  const sent = provider.requests.length;
  expect(sent).toBeGreaterThan(0);
  // 1.2 s of answers that take 150 ms each, and the one in flight.
  expect(sent).toBeLessThanOrEqual(9);
  expect(record).toMatchObject({ jobs: { succeeded: sent } });
  expect((await runIn(place)).exitCode).toBe(6);
  expect(provider.requests).toHaveLength(sent);
  await expectBooksToAgree(place, provider);
});

test('a group of runs shares its budget over projects on one store, until it is reset', async () => {
  const limit = COVERS_THREE * worst.nanoUsd;
  const group = { name: 'team', usd: usd(limit), per: 'month' };
  const { place: one, provider } = await atWork(dear, { documents: 2, model: LONG_ANSWERS, manifest: { budget: { group } } });
  const two = placeFor(provider.baseUrl, { documents: 4, model: LONG_ANSWERS, manifest: { name: 'two', budget: { group } } });
  two.write('manifest.json', two.read('manifest.json').replace('Quote one sentence', 'Quote another sentence'));
  const db = ['--db', join(one.dir, '.aieval', 'aieval.db')];
  expect((await runIn(one)).exitCode).toBe(0);
  expect(provider.requests).toHaveLength(2);
  expect((await runIn(two, ...db)).exitCode).toBe(6);
  expect(provider.requests).toHaveLength(3);
  expect(provider.billedNanoUsd()).toBeLessThanOrEqual(limit);
  expect(await hereJson(one, 'budget', 'show', 'team')).toMatchObject({
    groups: [{ name: 'team', months: [{ spentUsd: usd(provider.billedNanoUsd()), reservedUsd: 0, uncertainUsd: 0 }] }],
  });
  expect((await one.aieval('budget', 'reset', 'team', '--yes')).exitCode).toBe(0);
  expect((await runIn(two, ...db)).exitCode).toBe(0);
  expect(provider.requests).toHaveLength(6);
  expectLedgerToAgree(one, provider);
});

test('while the database is locked, so that nothing can be reserved, nothing is sent (litellm#33923)', async () => {
  const gate: { open: () => void } = { open: () => undefined };
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  const respond = async (asked: Asked): Promise<Reply> => {
    if (asked.n === 1) await opened;
    return good(asked);
  };
  const { place, provider } = await atWork(respond, { documents: 4, limits: { concurrency: 1 }, manifest: { budget: { usd: 1 } } });
  const { end } = processIn(place, 'run', 'manifest.json');
  await until(() => provider.requests.length === 1);
  const db = new BetterSqlite3(join(place.dir, '.aieval', 'aieval.db'));
  db.exec('BEGIN IMMEDIATE');
  gate.open();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(provider.requests).toHaveLength(1);
  db.exec('ROLLBACK');
  db.close();
  expect(await end).toMatchObject({ exitCode: 0, record: { results: { pass: 4 } } });
  expect(provider.requests).toHaveLength(4);
  await expectBooksToAgree(place, provider);
});

test('failFast stops after as many failed jobs, the rest stay queued', async () => {
  const bad = (): Reply => free(apiError(400, { message: 'no', type: 'invalid_request_error' }));
  const { place, provider } = await atWork(bad, {
    documents: 10,
    limits: { concurrency: 1 },
    manifest: { failFast: { afterFailures: 2 }, concurrency: 1 },
  });
  expect(await runIn(place)).toMatchObject({ exitCode: 3, record: { jobs: { failed: 2, queued: 8 } } });
  expect(provider.requests).toHaveLength(2);
  await expectBooksToAgree(place, provider);
});
