import { describe, expect, test } from 'vitest';
import { RateMeter } from '../../../src/cli/display/rate.ts';
import { isOver, takeSnapshot } from '../../../src/cli/status/snapshot.ts';
import { statusRecord } from '../../../src/cli/status/status-record.ts';
import { statusLines } from '../../../src/cli/status/status-screen.ts';
import { painter } from '../../../src/cli/terminal/style.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';
import type { Slots } from '../../../src/domain/lane/pace.ts';
import type { RunRow, RunTotals, WorkerRow } from '../../../src/store/rows.ts';
import { MANIFEST, SAMPLE_USE, STARTED_MS, sampleModel, sampleRun, sampleTotals, sampleWorker } from '../sample-run.ts';

const NOW = STARTED_MS + 10_000;

/** The part of a store that a look reads. */
function store(input: { run?: RunRow | null; totals?: RunTotals; workers?: WorkerRow[] }) {
  return {
    getRun: async () => (input.run === undefined ? sampleRun() : input.run),
    runTotals: async () => input.totals ?? sampleTotals(),
    workers: async () => input.workers ?? [sampleWorker()],
    openCalls: async () => [],
    spansMachines: false,
  };
}

async function look(input: Parameters<typeof store>[0] = {}) {
  return await takeSnapshot(store(input), 'r-8kq2aaaa', NOW, undefined, () => true);
}

const NO_PACE = new RateMeter().pace(sampleTotals());

describe('the state of a run', () => {
  test('an open run is running with a live worker and interrupted without one', async () => {
    expect((await look()).state).toBe('running');
    expect((await look({ workers: [] })).state).toBe('interrupted');
    expect((await look({ workers: [sampleWorker({ beatAtMs: NOW - 45_000 })] })).state).toBe('interrupted');
    expect((await look({ workers: [sampleWorker({ alive: false })] })).state).toBe('interrupted');
    expect((await look({ run: sampleRun({ state: 'planning' }) })).state).toBe('running');
  });

  test('other states are shown as stored', async () => {
    for (const state of ['finished', 'cancelled', 'paused'] as const) {
      expect((await look({ run: sampleRun({ state }) })).state).toBe(state);
    }
    expect(isOver(await look({ run: sampleRun({ state: 'paused' }) }))).toBe(false);
    expect(isOver(await look({ run: sampleRun({ state: 'finished' }) }))).toBe(true);
  });

  test('a cancelled run is over when nothing of it is in flight, or nobody is left who could end that', async () => {
    const run = sampleRun({ state: 'cancelled' });
    const totals = sampleTotals();
    expect(isOver(await look({ run, totals }))).toBe(false);
    expect(isOver(await look({ run, totals, workers: [sampleWorker({ alive: false })] }))).toBe(true);
    expect(isOver(await look({ run, totals: { ...totals, jobs: { ...totals.jobs, running: 0 } } }))).toBe(true);
  });

  test('the verdict is open while work goes on, and incomplete when it stopped early', async () => {
    const finished = sampleRun({ state: 'finished' });
    const results = { total: 30, open: 0, pass: 24, fail: 6, review: 0, error: 0 };
    expect((await look()).verdict).toBeNull();
    expect((await look({ workers: [] })).verdict).toBe('incomplete');
    expect((await look({ run: sampleRun({ state: 'cancelled' }) })).verdict).toBe('incomplete');
    expect((await look({ run: finished, totals: sampleTotals({ results }) })).verdict).toBe('pass');
    expect((await look({ run: finished, totals: sampleTotals({ results: { ...results, pass: 20, fail: 10 } }) })).verdict).toBe('fail');
    expect((await look({ run: finished, totals: sampleTotals({ results: { ...results, error: 1 } }) })).verdict).toBe('incomplete');
  });
});

describe('a worker of all runs', () => {
  const idle = sampleTotals({ jobs: { total: 2, queued: 2, running: 0, succeeded: 0, failed: 0, cancelled: 0 }, waiting: [] });
  const waiting = (why: 'backoff' | 'lane_paused') => ({
    ...idle,
    waiting: [{ why, laneId: null, count: 2, untilMs: null, message: null }],
  });

  test('works on a run of which something runs, or waits for its time', async () => {
    expect((await look()).state).toBe('running');
    expect((await look({ totals: waiting('backoff') })).state).toBe('running');
  });

  test('works on one of which all is done, until it has said so', async () => {
    const jobs = { total: 2, queued: 0, running: 0, succeeded: 1, failed: 1, cancelled: 0 };
    expect(await look({ totals: { ...idle, jobs } })).toMatchObject({ state: 'running', verdict: null });
    expect((await look({ totals: { ...idle, jobs }, workers: [] })).state).toBe('interrupted');
    expect((await look({ totals: { ...idle, jobs }, run: sampleRun({ state: 'planning' }) })).state).toBe('interrupted');
  });

  test('does not work on one that it does not begin, nor on one that waits for a person or was not planned to its end', async () => {
    for (const totals of [idle, waiting('lane_paused')]) {
      expect(await look({ totals })).toMatchObject({ state: 'interrupted', verdict: 'incomplete', workers: [] });
    }
    expect((await look({ totals: idle, run: sampleRun({ state: 'planning' }) })).state).toBe('interrupted');
    expect((await look({ totals: idle, workers: [sampleWorker({ runId: 'r-8kq2aaaa' })] })).state).toBe('running');
    expect((await look({ totals: waiting('backoff'), workers: [sampleWorker({ runId: 'another' })] })).state).toBe('interrupted');
  });
});

describe('a run whose jobs are not all in', () => {
  const run = sampleRun({ state: 'planning', plannedAtMs: null, settings: { ...sampleRun().settings, jobsOfPlan: 400 } });
  const lines = async (workers: WorkerRow[]) => {
    const snapshot = await look({ run, workers });
    return statusLines(snapshot, NO_PACE, { columns: 200, paint: painter(false), cwd: '/', lead: 'aieval' }).join('\n');
  };

  test('says how many of how many are, while somebody adds them', async () => {
    const text = await lines([sampleWorker({ runId: run.runId, plans: true })]);
    expect(text).toContain(' plan: 40 of 400 jobs enqueued so far\n 28/400 jobs (7%)');
    expect(text).not.toContain('next:');
  });

  test('says that its plan broke off, and what adds the rest, also where others work on what is in', async () => {
    for (const workers of [[], [sampleWorker()], [sampleWorker({ runId: run.runId, plans: true, alive: false })]]) {
      const text = await lines(workers);
      expect(text).toContain(' plan: broke off at 40 of 400 jobs; `run`, where the manifest is,');
      expect(text).toMatch(/ next: aieval run \S+/);
    }
  });
});

describe('status --json', () => {
  test('is the documented object, key for key and in its order', async () => {
    const record = statusRecord(await look(), { jobsPerMinute: 12, etaSeconds: 60, etaAtLeastSeconds: 60 }, []);
    expect(record).toEqual({
      v: 1,
      asOf: '2026-11-29T13:00:10.000Z',
      run: {
        id: 'r-8kq2aaaa',
        name: 'spec-review',
        state: 'running',
        verdict: null,
        startedAt: '2026-11-29T13:00:00.000Z',
        finishedAt: null,
        selection: null,
      },
      jobs: { total: 40, queued: 10, running: 2, succeeded: 26, failed: 2, cancelled: 0 },
      plan: null,
      results: { total: 30, open: 9, pass: 14, fail: 4, review: 1, error: 2 },
      calls: 23,
      attempts: 25,
      cacheHits: 8,
      cost: {
        spentUsd: 0.67,
        reservedUsd: 0.07,
        uncertainUsd: 0,
        budgetUsd: null,
        unpricedCalls: 0,
        uncertainCalls: 0,
        uncertainUnpricedCalls: 0,
      },
      budget: null,
      tokens: { input: 2_160_000, cachedInput: 10_000, output: 65_000 },
      etaSeconds: 60,
      waiting: [{ why: 'lane_cooldown', lane: null, count: 4, untilMs: STARTED_MS + 5000 }],
      models: [
        {
          model: 'fast',
          total: 40,
          queued: 10,
          running: 2,
          pass: 20,
          fail: 5,
          review: 1,
          error: 2,
          cancelled: 0,
          cached: 8,
          inputTokens: 2_160_000,
          cachedInputTokens: 0,
          outputTokens: 65_000,
          firstTokenMs: null,
          tokensPerSecond: null,
          parts: 0,
          openParts: 0,
          rateLimited: 0,
          p50Ms: null,
          p95Ms: null,
          spentUsd: 0.67,
        },
      ],
      workers: [
        {
          workerId: 'worker-1',
          hostname: 'laptop',
          tags: [],
          pid: 4711,
          version: '0.1.0',
          startedAt: '2026-11-29T13:00:00.000Z',
          beatAt: '2026-11-29T13:00:00.000Z',
          running: 2,
          live: true,
          alive: true,
          certain: true,
          oldestLeaseAt: '2026-11-29T13:00:04.000Z',
          takenOverAt: null,
        },
      ],
      dlq: [{ reason: 'timeout', count: 2 }],
      lostLeases: 0,
      stalled: null,
      projectedUsd: 1.072,
      next: [],
    });
    expect(Object.keys(record)).toEqual(
      'v asOf run jobs plan results calls attempts cacheHits cost budget tokens etaSeconds waiting models workers dlq lostLeases stalled projectedUsd next'.split(
        ' ',
      ),
    );
  });

  test('an unknown price stays null, and a finished run has an end and no estimate', async () => {
    const totals = sampleTotals({ cost: { ...sampleTotals().cost, spentNanoUsd: null }, byModel: [sampleModel({ spentNanoUsd: null })] });
    const run = sampleRun({ state: 'finished', finishedAtMs: NOW });
    expect(statusRecord(await look({ run, totals }), { jobsPerMinute: 12, etaSeconds: 60, etaAtLeastSeconds: 60 }, [])).toMatchObject({
      run: { state: 'finished', verdict: 'incomplete', finishedAt: '2026-11-29T13:00:10.000Z' },
      cost: { spentUsd: null },
      models: [{ spentUsd: null }],
      etaSeconds: null,
    });
  });
});

describe('the status screen', () => {
  const LOOK = { columns: 120, paint: painter(false), cwd: '/home/ann/spec', lead: 'aieval' };

  test('says how far, what of it, who works, what waits and why', async () => {
    const [title, ...rest] = statusLines(await look(), NO_PACE, LOOK);
    expect(title).toMatch(/^r-8kq2aaaa {2}spec-review {3}RUNNING 10 s {3}started /);
    expect(rest).toEqual([
      ' 28/40 jobs (70%)   ETA ?   cost $0.67 + $0.07 reserved   proj. $1.07   23 calls, 8 from cache',
      ' 30 results: 14 pass, 4 fail, 1 to review, 2 not evaluated, 9 open',
      '',
      'MODEL   DONE  PASS  FAIL  REVIEW  DLQ  RUN  QUEUE  CACHED     IN  OUT   COST',
      'fast   28/40    20     5       1    2    2     10       8  2.16M  65k  $0.67',
      '',
      'WORKER       HOLDS    OLDEST  HEARTBEAT  WORKS ON',
      'laptop:4711  2 steps  6.0 s   10 s ago   all runs  alive',
      '',
      ' WAITING 4  the provider wants a pause: 429 from lab',
      ' RETRIED 3  3× rate_limited',
      ' DLQ 2  2× timeout',
    ]);
  });

  test('tells a worker of all runs from one of this run, and of one that is gone only the work that it held', async () => {
    const workers = [
      sampleWorker({ workerId: 'w1', runId: null }),
      sampleWorker({ workerId: 'w2', runId: 'r-8kq2aaaa', pid: 4712, alive: false, running: 0, oldestLeaseAtMs: null }),
      sampleWorker({ workerId: 'w3', runId: 'r-8kq2aaaa', pid: 4713, alive: false }),
    ];
    const lines = statusLines(await look({ workers }), NO_PACE, LOOK);
    const from = lines.findIndex((line) => line.startsWith('WORKER'));
    expect(lines.slice(from, from + 4)).toEqual([
      'WORKER       HOLDS    OLDEST  HEARTBEAT  WORKS ON',
      'laptop:4711  2 steps  6.0 s   10 s ago   all runs  alive',
      'laptop:4712  0 steps          10 s ago   this run  gone',
      'laptop:4713  2 steps  6.0 s   10 s ago   this run  gone; its work is taken up again',
    ]);
  });

  test('a run that stopped early says how to go on; a finished one what to read', async () => {
    const interrupted = statusLines(await look({ workers: [] }), NO_PACE, LOOK);
    expect(interrupted.at(-1)).toBe(' next: aieval run manifest.json');
    const finished = statusLines(await look({ run: sampleRun({ state: 'finished', finishedAtMs: NOW }) }), NO_PACE, LOOK);
    expect(finished[0]).toContain('FINISHED INCOMPLETE');
    expect(finished.at(-1)).toBe(' next: aieval retry r-8kq2aaaa · aieval summary r-8kq2aaaa');
  });

  test('documents that failed are mended, not retried', async () => {
    const run = sampleRun({ state: 'finished', finishedAtMs: NOW });
    const next = async (dlq: RunTotals['dlq']) =>
      statusLines(await look({ run, totals: sampleTotals({ dlq, waiting: [] }) }), NO_PACE, LOOK).at(-1);
    const scanned = { reason: 'document_no_text', count: 1 } as const;
    expect(await next([scanned])).toBe(' next: mend the documents, then: aieval run manifest.json · aieval summary r-8kq2aaaa');
    expect(await next([scanned, { reason: 'timeout', count: 1 }])).toBe(
      ' next: aieval retry r-8kq2aaaa · mend the documents, then: aieval run manifest.json · aieval summary r-8kq2aaaa',
    );
    expect(await next([{ reason: 'document_encrypted', count: 1 }])).toBe(
      ' next: name the variable that holds the password as "passwordEnv" in the manifest, then: aieval run manifest.json · aieval summary r-8kq2aaaa',
    );
    expect(await next([])).toBe(' next: aieval summary r-8kq2aaaa');
  });

  test('the models stand in the order of the manifest, on the screen and in JSON', async () => {
    const model = { provider: 'p', model: 'm', group: null, params: {}, price: null, contextTokens: null } as const;
    const rest = { structuredOutput: 'auto', timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 } } as const;
    const models = { zeta: { id: 'zeta', ...model, ...rest }, alpha: { id: 'alpha', ...model, ...rest } };
    const run = sampleRun({ manifest: { ...MANIFEST, models } });
    const totals = sampleTotals({ byModel: [sampleModel({ model: 'alpha' }), sampleModel({ model: 'zeta' })] });
    const seen = await look({ run, totals });
    expect(statusRecord(seen, NO_PACE, [])).toMatchObject({ models: [{ model: 'zeta' }, { model: 'alpha' }] });
    expect(
      statusLines(seen, NO_PACE, LOOK)
        .slice(5, 7)
        .map((line) => line.split(' ')[0]),
    ).toEqual(['zeta', 'alpha']);
  });

  test('a worker is alive, gone, or alive and frozen', async () => {
    const frozen = sampleWorker({ pid: 4650, beatAtMs: NOW - 250_000 });
    const gone = sampleWorker({ pid: 4651, running: 0, oldestLeaseAtMs: null, alive: false });
    const lines = statusLines(await look({ workers: [sampleWorker(), frozen, gone] }), NO_PACE, LOOK);
    expect(lines.slice(8, 11)).toEqual([
      'laptop:4711  2 steps  6.0 s   10 s ago   all runs  alive',
      'laptop:4650  2 steps  6.0 s   4m10s ago  all runs  alive, but silent; its work is taken up again when its leases run out',
      'laptop:4651  0 steps          10 s ago   all runs  gone',
    ]);
  });

  test('a worker that no lock tells of is silent, for how long, and it is said about when its work is taken up again', async () => {
    const elsewhere = { pid: 4650, certain: false };
    const lived = sampleWorker({ pid: 4711 });
    const told = async (silent: Partial<WorkerRow>, others = [lived]) => {
      const seen = await look({ workers: [sampleWorker({ ...elsewhere, ...silent }), ...others] });
      const record: { workers?: readonly { takenOverAt?: string | null }[] } = statusRecord(seen, NO_PACE, []);
      return [statusLines(seen, NO_PACE, LOOK)[8]?.split('all runs').at(-1)?.trim(), record.workers?.[0]?.takenOverAt];
    };
    const lease = (expiresInMs: number, watchMs: number) => ({ takeover: { expiresAtMs: NOW + expiresInMs, watchMs } });
    const at = (ms: number) => new Date(NOW + ms).toISOString();
    expect(await told({ ...lease(20_000, 60_000) })).toEqual(['alive', null]);
    const silent = { beatAtMs: NOW - 50_000, alive: false };
    expect(await told({ ...silent, ...lease(20_000, 60_000) })).toEqual([
      'silent for 50 s; its work is taken up again in about 20 s',
      at(20_000),
    ]);
    expect(await told({ ...silent, ...lease(-5000, 40_000) })).toEqual([
      'silent for 50 s; its work is taken up again in about 40 s',
      at(40_000),
    ]);
    expect(await told({ ...silent, ...lease(-5000, 40_000) }, [])).toEqual([
      'silent for 50 s; the next worker takes its work after about 40 s',
      null,
    ]);
    expect(await told({ ...silent, takeover: null, running: 0 })).toEqual(['silent for 50 s', null]);
  });

  test('says that leases were lost, and what may have been billed, with its bound and what to type', async () => {
    const cost = { ...sampleTotals().cost, uncertainCalls: 3, uncertainNanoUsd: 120_000_000 };
    const idle = { ...sampleTotals().jobs, queued: 12, running: 0 };
    const lines = async (change: Partial<RunTotals>) =>
      statusLines(
        await look({ workers: [], totals: sampleTotals({ waiting: [], retries: [], dlq: [], jobs: idle, ...change }) }),
        NO_PACE,
        LOOK,
      ).slice(6);
    expect(await lines({ cost, lostLeases: 3 })).toEqual([
      '',
      ' LOST LEASES 3  of workers that died or were frozen',
      ' cost unknown: 3 calls may have been billed, at most $0.12',
      '',
      ' next: aieval run manifest.json · aieval budget settle-unknown r-8kq2aaaa --at expected',
    ]);
    expect((await lines({ cost: { ...cost, uncertainUnpricedCalls: 1 } }))[1]).toBe(
      ' cost unknown: 3 calls may have been billed, at most $0.12, price of 1 unknown',
    );
    expect((await lines({ cost: { ...cost, uncertainNanoUsd: 0, uncertainUnpricedCalls: 3 } }))[1]).toBe(
      ' cost unknown: 3 calls may have been billed, price of 3 unknown',
    );
  });

  test('a cost that nobody knows stands beside the one that is known', async () => {
    const cost = { ...sampleTotals().cost, spentNanoUsd: 0, reservedNanoUsd: 0, uncertainNanoUsd: 4_300_000, uncertainCalls: 2 };
    const lines = statusLines(await look({ totals: sampleTotals({ cost }) }), NO_PACE, LOOK);
    expect(lines[1]).toContain('   cost $0.00 + up to $0.0043 unknown   ');
    const unpriced = { ...sampleTotals().cost, spentNanoUsd: 0, reservedNanoUsd: 0, unpricedCalls: 50 };
    expect(statusLines(await look({ totals: sampleTotals({ cost: unpriced }) }), NO_PACE, LOOK)[1]).toContain(
      '   cost $0.00 + 50 unpriced calls   ',
    );
  });

  test('what a person broke off was not tried again', async () => {
    const retries = [{ reason: 'cancelled', count: 8 } as const];
    const shown = async (more: RunTotals['retries']) =>
      statusLines(await look({ totals: sampleTotals({ retries: [...retries, ...more] }) }), NO_PACE, LOOK).filter((line) =>
        /RETRIED/.test(line),
      );
    expect(await shown([])).toEqual([]);
    expect(await shown([{ reason: 'timeout', count: 2 }])).toEqual([' RETRIED 2  2× timeout']);
  });

  test('a run whose identity a newer one took is continued by a worker', async () => {
    const lines = statusLines(await look({ run: sampleRun({ holdsIdentity: false }), workers: [] }), NO_PACE, LOOK);
    expect(lines.at(-1)).toBe(' next: aieval worker r-8kq2aaaa');
  });

  test('calls that a killed process had in flight are said at once, with their bound, and what a cancelled run needs then', async () => {
    const quiet = { waiting: [], retries: [], dlq: [] };
    const gone = [sampleWorker({ alive: false })];
    const lines = async (run: RunRow, change: Partial<RunTotals> = {}, workers = gone) =>
      statusLines(await look({ run, workers, totals: sampleTotals({ ...quiet, ...change }) }), NO_PACE, LOOK);
    const said = ' 2 calls were in flight; they may be billed and will be asked again, at most $0.07';
    expect(await lines(sampleRun())).toContain(said);
    expect(await lines(sampleRun(), {}, [sampleWorker()])).not.toContain(said);
    expect(await lines(sampleRun(), {}, [sampleWorker({ beatAtMs: NOW - 250_000 })])).not.toContain(said);
    const elsewhere = [
      sampleWorker({ alive: false, certain: false, hostname: 'bee' }),
      sampleWorker({ alive: false, certain: false, running: 0 }),
    ];
    const all = (await lines(sampleRun(), {}, elsewhere)).join(' ').replaceAll(/ +/g, ' ');
    expect(all).toContain(`${said}; answers may be kept on bee: start aieval there first`);
    const unpriced = { inFlight: { calls: 1, nanoUsd: 0 } };
    expect(await lines(sampleRun(), unpriced)).toContain(' 1 call was in flight; it may be billed and will be asked again');
    const unsent = { inFlight: { calls: 0, nanoUsd: 0 } };
    expect((await lines(sampleRun(), unsent)).join()).not.toContain('may be billed');
    const cancelled = await lines(sampleRun({ state: 'cancelled' }));
    expect(cancelled).toContain(' 2 calls were in flight; they may be billed, at most $0.07');
    expect(cancelled.at(-1)).toBe(' next: aieval cancel r-8kq2aaaa');
    expect((await lines(sampleRun({ state: 'cancelled' }), {}, [sampleWorker()])).join()).not.toContain('next:');
  });

  test('cancelled jobs are counted', async () => {
    const jobs = { ...sampleTotals().jobs, cancelled: 3 };
    expect(statusLines(await look({ totals: sampleTotals({ jobs }) }), NO_PACE, LOOK)).toContain(' CANCELLED 3  will not be done');
  });

  test('a paused run says so, and how it goes on', async () => {
    const lines = statusLines(await look({ run: sampleRun({ state: 'paused' }) }), NO_PACE, LOOK);
    expect(lines[0]).toContain('   PAUSED 10 s   ');
    expect(lines.at(-1)).toBe(' next: aieval resume r-8kq2aaaa');
  });

  const SLOTS = new Map<string, Slots>([
    ['lane_concurrency', { taken: 4, of: 4, atMost: 8 }],
    ['run_concurrency', { taken: 3, of: 3, atMost: 3 }],
    ['store_maximum', { taken: 9, of: 8, atMost: 8 }],
  ]);

  test('says why steps wait, and for how long still, by the provider that they wait for', async () => {
    const ofLane = ['lane_paused', 'lane_cooldown', 'lane_breaker', 'lane_concurrency', 'lane_requests', 'lane_tokens'] as const;
    const others = ['run_concurrency', 'store_maximum', 'backoff'] as const;
    const times = new Map<string, number>([
      ['backoff', NOW + 30_000],
      ['lane_breaker', NOW + 8000],
    ]);
    const messages = new Map<string, string>([['lane_tokens', 'tokensPerMinute = 30000']]);
    const waiting = [...ofLane, ...others].map((why) => {
      const [untilMs, message] = [times.get(why) ?? null, messages.get(why) ?? null];
      const slots = SLOTS.get(why);
      const wait = { why, laneId: null, lane: why.startsWith('lane_') ? 'lab' : null, count: 1, untilMs, message };
      return slots === undefined ? wait : { ...wait, slots };
    });
    const lines = statusLines(await look({ totals: sampleTotals({ waiting, retries: [], dlq: [] }) }), NO_PACE, LOOK);
    expect(lines.slice(-9)).toEqual([
      ' WAITING 1  lab is paused',
      ' WAITING 1  lab wants a pause',
      ' WAITING 1  lab is failing; probing again in 8.0 s',
      ' WAITING 1  4 of 4 slots of lab taken (limits.concurrency = 8 at most)',
      ' WAITING 1  waits for requests of lab',
      ' WAITING 1  waits for tokens of lab: tokensPerMinute = 30000',
      ' WAITING 1  3 of 3 run slots taken (runConcurrency)',
      ' WAITING 1  9 of 8 slots of all runs taken (store set maxRunning)',
      ' WAITING 1  to be tried again, next in 30 s',
    ]);
  });

  test('says how much of the budget is used, and how fast each model answers', async () => {
    const byModel = [
      sampleModel({ cachedInputTokens: 1_080_000, firstTokenMs: 840, tokensPerSecond: 63.4 }),
      sampleModel({ model: 'other' }),
    ];
    const lines = statusLines(await look({ totals: sampleTotals({ byModel, budget: SAMPLE_USE }) }), NO_PACE, LOOK);
    expect(lines).toContain(' budget: $0.74 of $3.00 · 2.23M of 5.00M tokens · $4.20 of $10.00 of group team this month');
    expect(lines.filter((line) => /PROVIDER CACHE|50%/.test(line))).toEqual([
      'MODEL  429  P50  P95  FIRST TOKEN  TOKENS/S  PROVIDER CACHE',
      'fast     0    –    –        0.8 s        63             50%',
    ]);
  });

  test('--json tells the budget, what counts against it, and the speed of each model', async () => {
    const byModel = [sampleModel({ cachedInputTokens: 1000, firstTokenMs: 840, tokensPerSecond: 63.4 })];
    expect(statusRecord(await look({ totals: sampleTotals({ byModel, budget: SAMPLE_USE }) }), NO_PACE, [])).toMatchObject({
      cost: { budgetUsd: 3 },
      budget: {
        usd: { limit: 3, used: 0.74 },
        tokens: { limit: 5_000_000, used: 2_225_000 },
        minutes: null,
        group: { name: 'team', per: 'month', limit: 10, used: 4.2 },
        warnAt: 0.8,
      },
      models: [{ model: 'fast', cachedInputTokens: 1000, firstTokenMs: 840, tokensPerSecond: 63.4 }],
    });
  });

  test('a run that stopped at its budget is told how to get more of it, and what uncertain calls hold back', async () => {
    const waiting = [{ why: 'budget_usd', laneId: null, count: 10, untilMs: null, message: null } as const];
    const cost = { ...sampleTotals().cost, uncertainNanoUsd: 500_000_000, uncertainCalls: 3 };
    const totals = sampleTotals({ waiting, cost, budget: { ...SAMPLE_USE, nanoUsd: 2_990_000_000 } });
    const lines = statusLines(await look({ totals, workers: [] }), NO_PACE, LOOK);
    expect(lines.at(-1)).toBe(' next: aieval run manifest.json --max-cost 3 · aieval budget settle-unknown r-8kq2aaaa --at expected');
  });

  test.each([
    ['budget', 'budget_tokens', null],
    ['failFast', 'fail_fast', null],
    ['provider', 'lane_paused', NOW + 3_600_000],
    ['limits', 'lane_tokens', NOW + 3_600_000],
  ] as const)('a run that nobody could go on with is stopped, by its %s', async (cause, why, untilMs) => {
    const waiting = [{ why, laneId: null, count: 10, untilMs, message: null }];
    const [title] = statusLines(await look({ totals: sampleTotals({ waiting }), workers: [] }), NO_PACE, LOOK);
    expect(title).toMatch(new RegExp(`^r-8kq2aaaa {2}spec-review {3}STOPPED ${cause} {3}started `));
  });

  test('where it is narrow nothing of the budget and of what waits is cut away', async () => {
    const message = 'the 300 a minute that its headers allow, and a sentence of a server that goes on';
    const waiting = [{ why: 'lane_tokens', laneId: 'l', lane: 'lab', count: 4, untilMs: NOW + 5000, message } as const];
    const lines = statusLines(await look({ totals: sampleTotals({ waiting, budget: SAMPLE_USE }) }), NO_PACE, { ...LOOK, columns: 60 });
    const text = lines.join('\n').replaceAll(/\n {3}/g, ' ');
    expect(text).toContain('budget: $0.74 of $3.00 · 2.23M of 5.00M tokens · $4.20 of $10.00 of group team this month');
    expect(text).toContain(`WAITING 4 waits for tokens of lab, next in 5.0 s: ${message}`.replace('4 ', '4  '));
  });

  test.each([60, 100, 200])('no line is wider than %i columns', async (columns) => {
    const run = sampleRun({ name: 'n'.repeat(300) });
    const byModel = [sampleModel({ model: 'm'.repeat(100), cachedInputTokens: 1, firstTokenMs: 1, tokensPerSecond: 1 })];
    for (const line of statusLines(await look({ run, totals: sampleTotals({ byModel, budget: SAMPLE_USE }) }), NO_PACE, {
      ...LOOK,
      columns,
    })) {
      expect(columnsOf(line)).toBeLessThanOrEqual(columns);
    }
  });
});
