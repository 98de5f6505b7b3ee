import { describe, expect, test } from 'vitest';
import { cut, cutBody, drop, hang, html, pings, type Scenario, stall, status } from '../../providers/scripted-server.ts';
import { atWork, runIn, showIn, summaryIn } from './at-work.ts';
import { attempts, calls, expectBooksToAgree } from './ledger.ts';
import { costing, free, good } from './scriptable-provider.ts';

const BEGINNING = '{"findings":[';

/** What the provider bills for an answer that broke: its input, and what it had said. */
const BROKEN_OUTPUT = 5;

describe.each<[string, Scenario, { reason: string; partial: string }]>([
  ['a server that takes the request and says nothing', hang(), { reason: 'timeout', partial: '' }],
  ['a stream that stalls', stall(BEGINNING), { reason: 'timeout', partial: BEGINNING }],
  ['a stream of nothing but pings (pi#5558)', pings(BEGINNING, 50), { reason: 'timeout', partial: BEGINNING }],
  ['a stream that ends without a finish reason', cut(BEGINNING, 'fin'), { reason: 'stream_cut', partial: BEGINNING }],
  ['a stream that is reset (openai-node#419)', cut(BEGINNING, 'rst'), { reason: 'stream_cut', partial: BEGINNING }],
  ['a connection that is reset before any answer', drop(), { reason: 'connection', partial: '' }],
])('%s', (_, scenario, { reason, partial }) => {
  test(`is tried again exactly once with two attempts, then is an error, its money uncertain (litellm#14457, #34129)`, async () => {
    const { place, provider } = await atWork((asked) => costing(asked, scenario, BROKEN_OUTPUT));
    const { exitCode, record } = await runIn(place);
    expect(exitCode).toBe(3);
    expect(record).toMatchObject({ results: { error: 1 }, cost: { reservedUsd: 0, uncertainCalls: 2 } });
    expect(provider.requests).toHaveLength(2);
    const shown = await showIn(place);
    expect(shown).toMatchObject({ job: { verdict: 'error', error: { reason } } });
    expect(shown.attempts).toHaveLength(2);
    if (partial !== '') expect(shown).toMatchObject({ attempts: [{ failure: { partial } }, { failure: { partial } }] });
    expect(attempts(place)).toMatchObject([
      { outcome: 'failed', counted: 1, reason },
      { outcome: 'failed', counted: 1, reason },
    ]);
    expect(await summaryIn(place)).toContain(reason.split('_')[0]);
    await expectBooksToAgree(place, provider, provider.billedNanoUsd());
  });
});

test('with one attempt nothing is tried again and nothing is waited for (promptfoo#7727)', async () => {
  const { place, provider } = await atWork(() => free(status(503, { error: { message: 'overloaded' } }, { 'retry-after': '60' })), {
    manifest: { retry: { attempts: 1 } },
  });
  const begunAtMs = performance.now();
  expect((await runIn(place)).exitCode).toBe(3);
  expect(performance.now() - begunAtMs).toBeLessThan(30_000);
  expect(provider.requests).toHaveLength(1);
  await expectBooksToAgree(place, provider);
});

test.each<[string, Scenario]>([
  ['an error status', status(500, { error: { message: 'boom', type: 'server_error' } })],
  ['an error inside a 200 (promptfoo#1970)', status(200, { error: { code: 502, message: 'upstream failed' } })],
  ["a gateway's page", html(502, '<html><body>Bad Gateway</body></html>')],
  ['an empty 200', status(200, '')],
  ['half a body', cutBody(500, '{"error":{"mess')],
  ['a stream that breaks', cut(BEGINNING, 'rst')],
])('after %s the second attempt counts, and only once', async (_, scenario) => {
  const { place, provider } = await atWork((asked) => (asked.n === 1 ? free(scenario) : good(asked)));
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { calls: 2, results: { pass: 1 } } });
  expect(provider.requests).toHaveLength(2);
  expect(attempts(place).filter(({ counted }) => counted === 1)).toHaveLength(2);
  await expectBooksToAgree(place, provider);
});

test.each([503, 529])('a burst of %i is outlasted; every request is an attempt', async (code) => {
  const overloaded = status(code, { error: { message: 'Overloaded', type: 'overloaded_error' } }, { 'retry-after': '0' });
  const { place, provider } = await atWork((asked) => (asked.n <= 3 ? free(overloaded) : good(asked)), {
    documents: 2,
    manifest: { retry: { attempts: 5 } },
  });
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { results: { pass: 2 } } });
  expect(provider.requests).toHaveLength(5);
  expect(attempts(place).filter(({ reason }) => reason === 'server_error')).toHaveLength(3);
  await expectBooksToAgree(place, provider);
});

test('a body of any shape with any status ends as a typed failure (promptfoo#1970)', async () => {
  const bodies: unknown[] = [
    '',
    'null',
    '[]',
    '"text"',
    '{',
    '{"error":null}',
    '{"error":[]}',
    '{"choices":[]}',
    '{"choices":[{}]}',
    '\u0000',
  ];
  const shapes = [200, 400, 500].flatMap((code) => bodies.map((body) => status(code, body)));
  const place = await atWork((asked) => free(shapes[(Number(/Device (\d+)/.exec(asked.prompt)?.[1]) - 1) % shapes.length] ?? drop()), {
    documents: shapes.length,
    manifest: { retry: { attempts: 1 } },
    limits: { concurrency: 1 },
  });
  const { exitCode, stderr, record } = await runIn(place.place);
  expect([3, 4]).toContain(exitCode);
  expect(stderr).not.toContain('TypeError');
  expect(record).toMatchObject({ results: { pass: 0, fail: 0 } });
  for (const { outcome, reason } of attempts(place.place)) expect({ outcome, reason }).not.toEqual({ outcome: 'failed', reason: null });
});

test('a server that never ends its last job does not keep the run (inspect_ai#2487, #2568)', async () => {
  const { place, provider } = await atWork((asked) => (asked.prompt.includes('Device 03') ? costing(asked, hang()) : good(asked)), {
    documents: 3,
  });
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 3, record: { results: { pass: 2, error: 1 } } });
  expect(provider.requests).toHaveLength(4);
  expect(calls(place).filter(({ state }) => state === 'unknown')).toHaveLength(2);
});
