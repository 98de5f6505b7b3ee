import { describe, expect, test } from 'vitest';
import { apiError, delta, event, events, type Scenario, status } from '../../providers/scripted-server.ts';
import { until } from '../gated-server.ts';
import { hereJson } from '../here.ts';
import { atWork, processIn, runIn, showIn } from './at-work.ts';
import { attempts, expectBooksToAgree } from './ledger.ts';
import { type Asked, free, good, type Reply } from './scriptable-provider.ts';

type Headers = Record<string, string>;

const limited = (message: string, type: string, headers: Headers = {}): Scenario =>
  apiError(429, { message, type, code: 'rate_limit_exceeded' }, headers);

describe('a 429', () => {
  test.each<[string, Scenario]>([
    ['of requests', limited('Rate limit reached on requests per min. Limit: 3', 'requests', { 'retry-after': '0' })],
    ['of tokens', limited('Limit 30000, Used 29937, Requested 385. Please try again in 44ms.', 'tokens')],
    ['of concurrency', apiError(429, { message: 'Too many concurrent requests', type: 'concurrency' }, { 'retry-after': '0' })],
    ['without a body', status(429, '')],
    ['of a day that ends at once (inspect_ai#5526)', apiError(429, { message: 'quotaId: GenerateRequestsPerDay. Please retry in 0.2s' })],
  ])('%s is waited out, and is no attempt', async (_, refusal) => {
    const { place, provider } = await atWork((asked) => (asked.n === 1 ? free(refusal) : good(asked)), {
      manifest: { retry: { attempts: 1 } },
    });
    const { exitCode, record } = await runIn(place);
    expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { calls: 2, results: { pass: 1 } } });
    expect(provider.requests).toHaveLength(2);
    expect(attempts(place)).toMatchObject([{ outcome: 'failed', counted: 0, reason: 'rate_limited' }, { counted: 1 }, {}]);
    await expectBooksToAgree(place, provider);
  });

  test('inside a stream, and inside a 200, is one too', async () => {
    const inStream = events([delta({ content: '{' }), event({ error: { code: 429, message: 'slow down', type: 'rate_limit_exceeded' } })]);
    const in200 = status(200, { error: { code: 429, message: 'slow down' } });
    const respond = (asked: Asked): Reply => (asked.n === 1 ? free(inStream) : asked.n === 2 ? free(in200) : good(asked));
    const { place, provider } = await atWork(respond, { manifest: { retry: { attempts: 1 } } });
    expect((await runIn(place)).exitCode).toBe(0);
    expect(provider.requests).toHaveLength(3);
    expect(attempts(place).filter(({ reason, counted }) => reason === 'rate_limited' && counted === 0)).toHaveLength(2);
  });

  test('whose Retry-After comes in any form is understood: none of them is waited out for long', async () => {
    const forms: Headers[] = [
      { 'retry-after': '0' },
      { 'retry-after-ms': '50' },
      { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' },
      { 'retry-after': 'soon' },
      {},
    ];
    const seen = new Set<string>();
    const respond = (asked: Asked): Reply => {
      const document = /Device (\d+)/.exec(asked.prompt)?.[1] ?? '';
      if (seen.has(document)) return good(asked);
      seen.add(document);
      return free(limited('Rate limit reached', 'requests', forms[Number(document) - 1]));
    };
    const { place, provider } = await atWork(respond, { documents: forms.length, limits: { concurrency: forms.length } });
    const { exitCode, record } = await runIn(place);
    expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { results: { pass: forms.length } } });
    expect(provider.requests).toHaveLength(2 * forms.length);
    expect(attempts(place).filter(({ reason, counted }) => reason === 'rate_limited' && counted === 0)).toHaveLength(forms.length);
    await expectBooksToAgree(place, provider);
  });

  test('that says the request is larger than the limit is final for that job: one request, others go on', async () => {
    const tooLarge = apiError(429, {
      ...{ message: 'Request too large for small on tokens per min (TPM): Limit 30000, Requested 37313.' },
      ...{ type: 'tokens', code: 'rate_limit_exceeded' },
    });
    const { place, provider } = await atWork((asked) => (asked.prompt.includes('Device 01') ? free(tooLarge) : good(asked)), {
      documents: 3,
    });
    const { exitCode, record } = await runIn(place);
    expect({ exitCode, record }).toMatchObject({ exitCode: 3, record: { results: { pass: 2, error: 1 } } });
    expect(await showIn(place)).toMatchObject({ job: { error: { reason: 'input_too_long' } } });
    expect(provider.requests).toHaveLength(3);
    await expectBooksToAgree(place, provider);
  });
});

/** Two days; pi#6911 waited them out. */
const TWO_DAYS: Headers = { 'retry-after': '172800' };

describe('a Retry-After of two days', () => {
  const respond = (asked: Asked): Reply => (asked.n === 1 ? good(asked) : free(limited('Daily limit reached', 'requests', TWO_DAYS)));
  const setting = { documents: 4, limits: { concurrency: 1 } };

  test('ends the run with 3 after one request, names the time, and spends no attempt', async () => {
    const { place, provider } = await atWork(respond, setting);
    const { exitCode, stderr } = await place.aieval('run', 'manifest.json');
    expect(exitCode).toBe(3);
    expect(provider.requests).toHaveLength(2);
    expect(attempts(place).filter(({ counted, reason }) => counted === 1 && reason !== null)).toEqual([]);
    expect(stderr).toMatch(/asks to wait until \w{3} \d\d:\d\d \(in 2 days\)/);
    expect(stderr).toContain('aieval run manifest.json --wait');
    expect(await hereJson(place, 'status')).toMatchObject({ jobs: { succeeded: 1, queued: 3 } });
    const { waiting } = await hereJson(place, 'status');
    expect(waiting).toMatchObject([{ why: 'lane_paused', count: 3, untilMs: expect.any(Number) }]);
    await expectBooksToAgree(place, provider);
  });

  test('is waited for with --wait, until a signal: then the process leaves within a second (openai-node#1840)', async () => {
    const { place, provider } = await atWork(respond, setting);
    const { child, end } = processIn(place, 'run', 'manifest.json', '--wait');
    await until(async () => provider.requests.length === 2 && (await isPaused(place)));
    const begunAtMs = performance.now();
    child.kill('SIGINT');
    const { exitCode } = await end;
    expect(performance.now() - begunAtMs).toBeLessThan(2000);
    expect(exitCode).toBe(130);
    expect(provider.requests).toHaveLength(2);
    await expectBooksToAgree(place, provider);
  });

  test('before the first answer ends it with 3 as well: neither key nor server is to be mended', async () => {
    const { place, provider } = await atWork(() => free(limited('Daily limit reached', 'requests', TWO_DAYS)), {
      documents: 4,
      limits: { concurrency: 1 },
    });
    expect((await runIn(place)).exitCode).toBe(3);
    expect(provider.requests).toHaveLength(1);
    await expectBooksToAgree(place, provider);
  });
});

async function isPaused(place: Parameters<typeof hereJson>[0]): Promise<boolean> {
  const { waiting } = await hereJson(place, 'status');
  return JSON.stringify(waiting).includes('lane_paused');
}
