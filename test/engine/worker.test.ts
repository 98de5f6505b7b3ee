import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProviderError } from '../../src/domain/errors.ts';
import type { OnWork, WorkNews } from '../../src/domain/work-news.ts';
import type { EngineEvent } from '../../src/engine/events.ts';
import { PauseNews } from '../../src/engine/pause-news.ts';
import { judge, merge, parse, seek } from '../../src/engine/pool-worker.ts';
import { workClaim } from '../../src/engine/worker.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { Bench, Clock } from '../store/bench.ts';
import { canonicalText, completion, job } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';
import { ASKING } from './asking.ts';

const TWO_DAYS_S = 172_800;

let opened: SqliteBench;
let bench: Bench;
beforeEach(async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  bench = new Bench(opened.store, clock);
  await bench.plan('r1', [job('j1', 0)]);
});
afterEach(() => opened.dispose());

/** What working on the one job tells, when its provider does this. */
async function told(complete: Provider['complete'], onWork?: OnWork): Promise<EngineEvent[]> {
  const never = new AbortController().signal;
  const events: EngineEvent[] = [];
  await workClaim(await bench.claimed('r1'), {
    manifest: ASKING,
    store: bench.store,
    pool: {
      extract: () => Promise.reject(new Error('nothing to extract')),
      parse: async (input) => parse(input),
      merge: async (input) => merge(input),
      judge: async (input) => judge(input),
      seek: async (input) => seek(input),
      close: async () => undefined,
      size: 1,
    },
    provider: async () => ({ preflight: async () => null, close: async () => undefined, complete }),
    text: async () => canonicalText('text of a.md'),
    signals: { stop: never, now: never },
    calls: { begin: () => never, end: () => undefined },
    onEvent: (event) => events.push(event),
    onWork,
    workerId: 'w1',
    now: bench.clock.read,
    pauses: new PauseNews(ASKING),
    project: async () => undefined,
  });
  return events;
}

describe('a pause is told', () => {
  test('that the headers of an answer brought, beside the end of its job', async () => {
    const events = await told(async (_request, _signal, listener) => {
      const headers: { readonly [name: string]: string } = {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': `${TWO_DAYS_S}s`,
      };
      listener?.onHeaders((name) => headers[name] ?? null);
      return completion();
    });
    expect(events.map(({ kind }) => kind)).toEqual(['job.started', 'lane.paused', 'job.ended']);
    const untilMs = bench.clock.nowMs + 1000 * TWO_DAYS_S;
    expect(events[1]).toMatchObject({ provider: 'lab', scope: 'lane', failure: { class: 'rate', reason: 'rate_limited' }, untilMs });
  });

  test('that a server named which is down for longer than anyone waits', async () => {
    const events = await told(() => {
      const failure = {
        class: 'transient',
        reason: 'server_error',
        message: 'down until Monday',
        status: 503,
        retryAfterMs: 1000 * TWO_DAYS_S,
      } as const;
      return Promise.reject(new ProviderError(failure, { sent: true }));
    });
    expect(events.map(({ kind }) => kind)).toEqual(['job.started', 'lane.paused', 'step.retry']);
    expect(events[1]).toMatchObject({
      scope: 'lane',
      failure: { message: 'down until Monday' },
      fix: null,
    });
  });

  test('for a refused key as one of the account, and no time for a retry', async () => {
    const events = await told(() => Promise.reject(new ProviderError({ class: 'fatal', reason: 'auth', message: 'no' }, { sent: true })));
    expect(events).toMatchObject([{ kind: 'job.started' }, { kind: 'lane.paused', scope: 'account', untilMs: null }]);
  });
});

describe('for logs, metrics and traces', () => {
  async function heard(complete: Provider['complete']): Promise<WorkNews[]> {
    const news: WorkNews[] = [];
    await told(complete, (one) => news.push(one));
    return news;
  }

  const STEP = {
    ...{ runId: 'r1', workerId: 'w1', jobId: 'j1', documentId: 'a.md', task: 'task', model: 'model', provider: 'lab' },
    stepKind: 'answer',
    attempt: 1,
  };

  test('a job is told as its tries, its call and its end, each with whose it is', async () => {
    const news = await heard(async () => ({ ...completion(), requestId: 'req-1', latencyMs: 900, firstTokenMs: 300 }));
    expect(news.map(({ kind }) => kind)).toEqual(['step.started', 'call.ended', 'step.ended', 'step.started', 'step.ended', 'job.ended']);
    expect(news[0]).toMatchObject({ step: STEP });
    expect(news[1]).toMatchObject({
      step: STEP,
      call: {
        providerRequestId: 'req-1',
        latencyMs: 900,
        baseUrl: 'http://127.0.0.1:1/v1',
        result: { ok: true, firstTokenMs: 300, finishReason: 'stop' },
      },
    });
    expect(news[2]).toMatchObject({ step: STEP, outcome: 'answered', failure: null, retryAtMs: null });
    expect(news[3]).toMatchObject({ step: { ...STEP, stepKind: 'finish', attempt: null } });
    expect(news.at(-1)).toMatchObject({ kind: 'job.ended', state: 'succeeded', verdict: 'pass', cached: false, reason: null });
  });

  test('a failure is told without the words of the server', async () => {
    const failure = {
      class: 'transient',
      reason: 'server_error',
      message: 'your prompt was: secret',
      status: 500,
      partial: 'secret',
    } as const;
    const news = await heard(() => Promise.reject(new ProviderError(failure, { sent: true })));
    const known = { class: 'transient', reason: 'server_error', status: 500 };
    expect(news[1]).toMatchObject({ kind: 'call.ended', call: { providerRequestId: null, result: { ok: false, failure: known } } });
    expect(news[2]).toMatchObject({ kind: 'step.ended', outcome: 'failed', failure: known, retryAtMs: expect.any(Number) });
    expect(JSON.stringify(news)).not.toContain('secret');
  });

  test('a try whose lease was lost is told as lost', async () => {
    const news = await heard(async () => {
      opened.db.exec(`UPDATE steps SET lease_token = 'of another' WHERE state = 'running'`);
      return completion();
    });
    expect(news.at(-1)).toMatchObject({ kind: 'step.ended', outcome: 'lost', failure: null });
  });
});
