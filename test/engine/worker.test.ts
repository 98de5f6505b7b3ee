import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProviderError } from '../../src/domain/errors.ts';
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
async function told(complete: Provider['complete']): Promise<EngineEvent[]> {
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
