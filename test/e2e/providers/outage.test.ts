import { describe, expect, test } from 'vitest';
import { apiError, hang, status } from '../../providers/scripted-server.ts';
import { afterwards, atWork, placeFor, processIn, runIn } from './at-work.ts';
import { attempts, expectBooksToAgree } from './ledger.ts';
import { type Asked, free, good, type Reply, startProvider } from './scriptable-provider.ts';

const JOBS = 30;
const IN_FLIGHT = 4;

describe('a server that is down in the middle of a run', () => {
  test('is asked by five, those in flight and one probe at a time, and the run goes on by itself (promptfoo#7911)', async () => {
    let downAtMs: number | null = null;
    const down = status(503, { error: { message: 'down for a moment', type: 'server_error' } });
    const respond = (asked: Asked): Reply => {
      if (asked.n <= 6) return good(asked);
      downAtMs ??= performance.now();
      return performance.now() - downAtMs < 3500 ? free(down) : good(asked);
    };
    const { place, provider } = await atWork(respond, {
      documents: JOBS,
      limits: { concurrency: IN_FLIGHT },
      manifest: { retry: { attempts: 20 } },
    });
    const { exitCode, record } = await runIn(place);
    expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { results: { pass: JOBS } } });
    const failed = provider.served.filter(({ status: code }) => code === 503);
    // The breaker opens for 1, 2 and 4 s: no more than three probes fall into the 3.5 s.
    expect(failed.length).toBeLessThanOrEqual(5 + IN_FLIGHT + 3);
    expect(failed.slice(5 + IN_FLIGHT).map(({ inFlight }) => inFlight)).toEqual(failed.slice(5 + IN_FLIGHT).map(() => 1));
    expect(attempts(place).filter(({ reason }) => reason === 'server_error')).toHaveLength(failed.length);
    await expectBooksToAgree(place, provider);
  });

  test('with the default attempts loses no job but those that were asked three times', async () => {
    const down = status(503, { error: { message: 'down', type: 'server_error' } });
    const failures: string[] = [];
    const respond = (asked: Asked): Reply => {
      if (asked.n <= 3 || failures.length >= 7) return good(asked);
      failures.push(asked.prompt);
      return free(down);
    };
    const { place, provider } = await atWork(respond, {
      documents: JOBS,
      limits: { concurrency: 2 },
      manifest: { retry: { attempts: 3 } },
    });
    const { exitCode, record } = await runIn(place);
    // The pauses are random: seldom, one job meets three of the seven failures.
    const lost = [...new Set(failures)].filter((prompt) => failures.filter((other) => other === prompt).length === 3).length;
    expect({ exitCode, record }).toMatchObject({ exitCode: lost === 0 ? 0 : 3, record: { results: { pass: JOBS - lost, error: lost } } });
    expect(provider.requests).toHaveLength(JOBS + 7 - lost);
    await expectBooksToAgree(place, provider);
  });
});

test('one question that always fails opens no breaker: the others are asked meanwhile', async () => {
  const poison = status(500, { error: { message: 'boom', type: 'server_error' } });
  const { place, provider } = await atWork((asked) => (asked.prompt.includes('Device 01') ? free(poison) : good(asked)), {
    documents: 12,
    limits: { concurrency: 1 },
    manifest: { retry: { attempts: 3 } },
  });
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 3, record: { results: { pass: 11, error: 1 } } });
  expect(provider.requests).toHaveLength(14);
  await expectBooksToAgree(place, provider);
});

describe("one provider's trouble", () => {
  const model = { price: 'free', params: { maxOutputTokens: 100 }, timeouts: { firstTokenMs: 30_000 } };

  test.each<[string, number, () => Reply]>([
    ['that refuses everything', 1, () => free(apiError(429, { message: 'slow down', type: 'requests' }, { 'retry-after': '1' }))],
    ['that says nothing', 4, () => free(hang())],
  ])('%s does not slow another, at %i calls at once (inspect_ai#3984)', async (_, concurrency, trouble) => {
    const fine = await startProvider({ respond: good });
    afterwards(fine.close);
    let answered = 0;
    const bad = await startProvider({
      respond: (asked) => {
        if (fine.requests.length < JOBS) return trouble();
        answered += 1;
        return good(asked);
      },
    });
    afterwards(bad.close);
    const place = placeFor(fine.baseUrl, {
      documents: JOBS,
      manifest: {
        providers: {
          bad: { type: 'openai', baseUrl: bad.baseUrl, limits: { concurrency: 2 } },
          fine: { type: 'openai', baseUrl: fine.baseUrl, limits: { concurrency: 2 } },
        },
        models: { one: { ...model, provider: 'bad', model: 'one' }, two: { ...model, provider: 'fine', model: 'two' } },
        matrix: { exclude: [{ document: 'docs/{0[3-9],1*,2*,3*}.md', model: 'one' }] },
        concurrency,
      },
    });
    processIn(place, 'run', 'manifest.json');
    await expect.poll(() => fine.requests.length, { timeout: 25_000 }).toBe(JOBS);
    // All of one are through while the other has not answered anything.
    expect(answered).toBe(0);
    expect(bad.requests.length).toBeLessThanOrEqual(12);
  });
});
