import { describe, expect, test } from 'vitest';
import { hereJson } from '../here.ts';
import { type AtWork, atWork, processIn, type RunEnd, runIn, showIn } from './at-work.ts';
import { expectBooksToAgree } from './ledger.ts';
import { type Limits, strictLimiter } from './limiter.ts';
import { type Asked, good, type Reply } from './scriptable-provider.ts';

const ANSWER_MS = 50;
const slow = (asked: Asked): Reply => good(asked, { delayMs: ANSWER_MS });

/** A document of so many tokens, about. */
const page = (name: string, tokens: number): string =>
  `# Part ${name}\n\nDevice ${name} shall answer within 5 ms.\n\n${'The link trains at once. '.repeat(Math.ceil(tokens / 6))}\n`;

const pages = (count: number, tokens: (index: number) => number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const name = String(index + 1).padStart(3, '0');
      return [`docs/${name}.md`, page(name, tokens(index))];
    }),
  );

/** A run by several processes, which all leave when it is done. */
async function runBy(processes: number, { place }: AtWork): Promise<RunEnd[]> {
  const all = Array.from({ length: processes }, () => processIn(place, 'run', 'manifest.json'));
  return Promise.all(all.map(({ end }) => end));
}

async function expectDone(ends: readonly RunEnd[], { place, provider }: AtWork, jobs: number): Promise<void> {
  expect(ends.map(({ exitCode }) => exitCode)).toEqual(ends.map(() => 0));
  expect(await hereJson(place, 'status')).toMatchObject({ jobs: { succeeded: jobs } });
  await expectBooksToAgree(place, provider);
}

describe('limits that the manifest states, at a server that holds two seconds of them', () => {
  test.each([1, 4])('requests: %i processes together are never refused', async (processes) => {
    const requestsPerMinute = 600;
    const at = await atWork(
      { respond: slow, limiter: strictLimiter({ requestsPerMinute, burstSeconds: 2 }) },
      { documents: pages(55, () => 10), limits: { requestsPerMinute, concurrency: 20 }, manifest: { concurrency: 20 } },
    );
    await expectDone(await runBy(processes, at), at, 55);
    expect(at.provider.statuses()).toEqual({ '200': 55 });
  });

  test.each([1, 4])('tokens: %i processes together are never refused', async (processes) => {
    const tokensPerMinute = 75_000;
    const at = await atWork(
      { respond: slow, limiter: strictLimiter({ tokensPerMinute, burstSeconds: 2 }) },
      {
        documents: pages(30, (index) => 50 + 40 * (index % 5)),
        limits: { tokensPerMinute, concurrency: 20 },
        manifest: { concurrency: 20 },
      },
    );
    await expectDone(await runBy(processes, at), at, 30);
    expect(at.provider.statuses()).toEqual({ '200': 30 });
  });
});

test('limits that only the answers tell are kept from then on', async () => {
  const limiter = strictLimiter({ requestsPerMinute: 600, burstSeconds: 2 });
  const at = await atWork(
    { respond: (asked) => good(asked, { delayMs: ANSWER_MS, headers: limiter.headers() }), limiter },
    { documents: pages(55, () => 10), limits: { concurrency: 20 }, manifest: { concurrency: 20 } },
  );
  await expectDone(await runBy(1, at), at, 55);
  expect(at.provider.statuses()).toEqual({ '200': 55 });
});

test('a big request among small ones gets its turn, and is not passed by them', async () => {
  const tokensPerMinute = 60_000;
  const big = 10;
  const at = await atWork(
    { respond: slow, limiter: strictLimiter({ tokensPerMinute, burstSeconds: 60 }) },
    {
      documents: pages(40, (index) => (index === big ? 2500 : 20)),
      limits: { tokensPerMinute, concurrency: 4 },
      model: { params: { maxOutputTokens: 50 } },
    },
  );
  await expectDone(await runBy(1, at), at, 40);
  const turn = at.provider.served.findIndex(({ prompt }) => prompt.includes(`Device 0${big + 1} `));
  expect(Math.abs(turn - big)).toBeLessThanOrEqual(4);
});

test('a request larger than the window is refused by the plan: nothing is sent for it, the others go (litellm#4829)', async () => {
  const at = await atWork(good, {
    documents: pages(4, (index) => (index === 1 ? 30_000 : 10)),
    limits: { tokensPerMinute: 20_000 },
  });
  expect(await runIn(at.place)).toMatchObject({ exitCode: 3, record: { results: { pass: 3, error: 1 } } });
  expect(await showIn(at.place, '002')).toMatchObject({ job: { error: { reason: 'input_too_long' } } });
  expect(at.provider.requests).toHaveLength(3);
});

describe('limits that nobody states', () => {
  const found = async (limits: Limits, jobs: number): Promise<AtWork> => {
    const at = await atWork(
      { respond: slow, limiter: strictLimiter(limits) },
      { documents: pages(jobs, () => 10), limits: { concurrency: 16 } },
    );
    await expectDone(await runBy(1, at), at, jobs);
    return at;
  };

  test('of requests are found by being refused a few times; everything is done', async () => {
    const { provider } = await found({ requestsPerMinute: 480 }, 50);
    expect(provider.statuses()['200']).toBe(50);
    expect(provider.statuses()['429'] ?? 0).toBeLessThanOrEqual(15);
  });

  test('of concurrency too', async () => {
    const { provider } = await found({ concurrency: 3 }, 30);
    expect(provider.statuses()['200']).toBe(30);
    expect(provider.statuses()['429'] ?? 0).toBeLessThanOrEqual(15);
  });
});
