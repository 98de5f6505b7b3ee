import { expect, it } from 'vitest';
import { type AtWork, atWork, processIn } from '../e2e/providers/at-work.ts';
import { type Limits, strictLimiter } from '../e2e/providers/limiter.ts';
import { type Asked, good, type Reply, type Served } from '../e2e/providers/scriptable-provider.ts';

const ANSWER_MS = 100;
const MINUTE_MS = 60_000;
const slow = (asked: Asked): Reply => good(asked, { delayMs: ANSWER_MS });

const pages = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const name = String(index + 1).padStart(4, '0');
      const text = 'The link trains at once. '.repeat((index % 7) * 8);
      return [`docs/${name}.md`, `# Part ${name}\n\nDevice ${name} shall answer within 5 ms.\n\n${text}\n`];
    }),
  );

async function measure(jobs: number, processes: number, limits: Limits, stated: object): Promise<AtWork> {
  const at = await atWork(
    { respond: slow, limiter: strictLimiter(limits) },
    { documents: pages(jobs), limits: { concurrency: 64, ...stated }, manifest: { concurrency: 64 } },
  );
  const all = Array.from({ length: processes }, () => processIn(at.place, 'run', 'manifest.json'));
  for (const { exitCode } of await Promise.all(all.map(({ end }) => end))) expect(exitCode).toBe(0);
  return at;
}

/** Time from the first request to the last that was taken, and what a client that knew everything would need. */
function report(what: string, { provider }: AtWork, limits: Limits): { readonly refused: number; readonly share: number } {
  const taken = provider.served.filter(({ status }) => status === 200);
  const tookMs = Math.max(...taken.map(({ atMs }) => atMs)) - Math.min(...taken.map(({ atMs }) => atMs));
  const idealMs = idealTimeMs(taken, limits);
  const refused = provider.served.length - taken.length;
  const ratio = `${(tookMs / 1000).toFixed(2)} s, ideal ${(idealMs / 1000).toFixed(2)} s, ${(tookMs / idealMs).toFixed(3)}`;
  console.log(`${what}: ${taken.length} answered, ${refused} refused; ${ratio} of the ideal`);
  return { refused, share: idealMs / tookMs };
}

/** All of it at the allowed rate, but what the bucket holds at the start. */
function idealTimeMs(taken: readonly Served[], { requestsPerMinute, tokensPerMinute, burstSeconds = 1 }: Limits): number {
  const tokens = taken.reduce((sum, { prompt }) => sum + Math.ceil(prompt.length / 4) + 100, 0);
  const needs = [
    requestsPerMinute === undefined ? 0 : taken.length / requestsPerMinute,
    tokensPerMinute === undefined ? 0 : tokens / tokensPerMinute,
  ];
  return Math.max(...needs) * MINUTE_MS - burstSeconds * 1000;
}

it.each([1, 4])('requests, limit stated, %i processes', async (processes) => {
  const limits = { requestsPerMinute: 1200 };
  const { refused } = report(`requests stated, ${processes} processes`, await measure(600, processes, limits, limits), limits);
  expect(refused).toBe(0);
});

it.each([1, 4])('tokens, limit stated, %i processes', async (processes) => {
  const limits = { tokensPerMinute: 240_000 };
  const { refused } = report(`tokens stated, ${processes} processes`, await measure(600, processes, limits, limits), limits);
  expect(refused).toBe(0);
});

/** Answers of the time in which the rate is found. */
const WARM_UP = 100;

it.each([1, 4])('requests, limit unknown, %i processes', async (processes) => {
  const limits = { requestsPerMinute: 600 };
  const at = await measure(600, processes, limits, {});
  report(`requests unknown, ${processes} processes`, at, limits);
  const begun = at.provider.served.filter(({ status }) => status === 200)[WARM_UP]?.atMs ?? 0;
  const later = { ...at, provider: { ...at.provider, served: at.provider.served.filter(({ atMs }) => atMs >= begun) } };
  const { refused, share } = report('  after the warm-up', later, { ...limits, burstSeconds: 0 });
  expect(refused / later.provider.served.length).toBeLessThan(0.02);
  expect(share).toBeGreaterThan(0.9);
});
