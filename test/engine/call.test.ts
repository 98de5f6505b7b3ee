import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Completion, CompletionRequest } from '../../src/domain/completion.ts';
import { ProviderError } from '../../src/domain/errors.ts';
import { makeCall } from '../../src/engine/call.ts';
import type { EngineEvent } from '../../src/engine/events.ts';
import type { CallListener } from '../../src/providers/provider.ts';
import type { CallWork, Claim } from '../../src/store/work.ts';
import { Bench, Clock } from '../store/bench.ts';
import { canonicalText, completion, job } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';
import { ASKING } from './asking.ts';

const HEADERS: { readonly [name: string]: string } = {
  'x-ratelimit-limit-requests': '600',
  'x-ratelimit-remaining-requests': '599',
  'x-ratelimit-reset-requests': '100ms',
};
const RATES = { requests: { limitPerMinute: 600, remaining: 599 } };

let opened: SqliteBench;
let bench: Bench;
let claim: Claim;
beforeEach(async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  bench = new Bench(opened.store, clock);
  await bench.plan('r1', [job('j1', 0)]);
  claim = await bench.claimed('r1', 'w1');
});
afterEach(() => opened.dispose());

type Answer = (listener: CallListener, request: CompletionRequest) => Promise<Completion>;

/** Makes the call of the claim; `change` is what the claim says of it, `answer` what the provider does. */
async function call(answer: Answer, change: Partial<CallWork> = {}, noteFirstToken?: (token: string) => Promise<void>) {
  const { work } = claim;
  const { task, model } = { task: ASKING.tasks.task, model: ASKING.models.model };
  if (work.kind !== 'call' || task === undefined || model === undefined) throw new Error('nothing to call');
  const never = new AbortController().signal;
  const events: EngineEvent[] = [];
  const { store } = bench;
  const noted: string[] = [];
  const note = async (token: string): Promise<void> => {
    noted.push(token);
    await noteFirstToken?.(token);
  };
  const end = await makeCall(
    { claim, work: { ...work, ...change } },
    {
      task,
      model,
      document: canonicalText('text'),
      provider: {
        preflight: async () => null,
        close: async () => undefined,
        complete: async (request, _signal, listener) => {
          if (listener === undefined) throw new Error('nobody listens');
          return await answer(listener, request);
        },
      },
    },
    {
      store: {
        markSent: store.markSent.bind(store),
        recordResponse: store.recordResponse.bind(store),
        holdsLease: store.holdsLease.bind(store),
        settle: store.settle.bind(store),
        noteFirstToken: note,
      },
      signals: { stop: never, now: never, cancel: never },
      onEvent: (event) => events.push(event),
      now: () => 0,
    },
  );
  return { end, noted, events };
}

const answered: Answer = async (listener) => {
  listener.onHeaders((name) => HEADERS[name] ?? null);
  listener.onFirstToken();
  return { ...completion(), latencyMs: 900, firstTokenMs: 300 };
};

describe('a call', () => {
  test('tells what its headers said of limits, and how fast it was', async () => {
    const { end } = await call(answered);
    expect(end).toMatchObject({
      kind: 'completed',
      call: { state: 'settled', timing: { latencyMs: 900, firstTokenMs: 300 }, rates: RATES },
    });
  });

  test('costs what the claim says, whatever the manifest of this process states', async () => {
    const rate = { price: { inputPerMTok: 1, outputPerMTok: 10 }, maxOutputTokens: 100 };
    expect((await call(answered, { rate })).end).toMatchObject({ call: { costNanoUsd: 100 * 1000 + 30 * 10_000 } });
  });

  test('tells what the headers said also when it failed', async () => {
    const failure = { class: 'rate', reason: 'rate_limited', message: '429', status: 429 } as const;
    const { end } = await call(async (listener) => {
      listener.onHeaders((name) => HEADERS[name] ?? null);
      throw new ProviderError(failure, { sent: true });
    });
    expect(end).toMatchObject({ kind: 'outcome', outcome: { kind: 'failed', failure, call: { state: 'settled', rates: RATES } } });
  });

  test('says nothing of limits where the headers say nothing', async () => {
    const { end } = await call(async (listener) => {
      listener.onHeaders(() => null);
      return completion();
    });
    expect(end.kind === 'completed' && 'rates' in end.call).toBe(false);
  });

  test('tells of its first token only when others wait for it', async () => {
    expect((await call(answered, { warms: true })).noted).toEqual([claim.token]);
    expect((await call(answered, { warms: false })).noted).toEqual([]);
  });

  test('is not held up by the telling, which is over when the call is', async () => {
    let tell = (): void => undefined;
    let isTold = false;
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const made = call(
      async (listener, request) => {
        const answer = await answered(listener, request);
        // The answer is complete while nobody has heard of its first token.
        setImmediate(tell);
        return answer;
      },
      { warms: true },
      () =>
        told.then(() => {
          isTold = true;
        }),
    );
    expect((await made).end.kind).toBe('completed');
    expect(isTold).toBe(true);
  });

  test('stands although its first token could not be told, which is said', async () => {
    const { end, events } = await call(answered, { warms: true }, () => Promise.reject(new Error('disk full')));
    expect(end.kind).toBe('completed');
    expect(events).toEqual([{ kind: 'warning', message: 'others wait longer than need be: disk full' }]);
  });

  test.each([
    ['carries the key of its prompt cache, and after a timeout twice the time', { prefix: 'p1', lastFailure: 'timeout' }, ['p1', 120_000]],
    ['has neither without', { prefix: null, lastFailure: null }, [undefined, 60_000]],
  ] as const)('%s', async (_title, change, asked) => {
    const seen: CompletionRequest[] = [];
    await call(async (_listener, request) => {
      seen.push(request);
      return completion();
    }, change);
    expect(seen.map(({ promptCacheKey, timeouts }) => [promptCacheKey, timeouts.totalMs])).toEqual([asked]);
  });

  test.each([
    ['a login page, which costs nothing', { class: 'fatal', reason: 'wrong_url', message: 'HTML', status: 200 }, 'settled', 0],
    ['an error status, which costs nothing', { class: 'transient', reason: 'server_error', message: '500', status: 500 }, 'settled', 0],
    ['silence, which may have been billed', { class: 'transient', reason: 'timeout', message: 'slow' }, 'unknown', null],
  ] as const)('is booked after %s', async (_title, failure, state, costNanoUsd) => {
    const { end } = await call(() => Promise.reject(new ProviderError(failure, { sent: true })));
    expect(end).toMatchObject({ outcome: { call: { state, costNanoUsd } } });
  });

  test('passes a long Retry-After on as it came: the lane pauses for it', async () => {
    const failure = { class: 'rate', reason: 'rate_limited', message: '429', status: 429, retryAfterMs: 172_800_000 } as const;
    const { end } = await call(() => Promise.reject(new ProviderError(failure, { sent: true })));
    expect(end).toMatchObject({ kind: 'outcome', outcome: { kind: 'failed', failure } });
  });
});
