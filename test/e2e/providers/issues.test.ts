import { expect, test } from 'vitest';
import { apiError, delta, event, hang, type Scenario, status } from '../../providers/scripted-server.ts';
import { hereJson } from '../here.ts';
import { goodAnswer } from '../project.ts';
import { atWork, runIn, showIn } from './at-work.ts';
import { attempts, expectBooksToAgree } from './ledger.ts';
import { type Asked, costing, free, good, type Reply, wireUsage } from './scriptable-provider.ts';

/*
 * What went wrong in other tools, and the test that it does not here. The rest of this file is of those that have no other place.
 *
 *  undici's own timers cut a slow answer     openai-node#2153            test/providers/openai.test.ts, the agent has none
 *  Retry-After of days, deaf to signals      openai-node#1840, pi#6911   refused.test.ts
 *  premature close                           openai-node#419             broken.test.ts
 *  a listener for each call                  openai-node#279             test/providers/openai.test.ts, test/pacing/provider-gate.test.ts
 *  retries although there are none           promptfoo#7727              broken.test.ts
 *  a used up credit is asked again           promptfoo#10855             fatal.test.ts
 *  a body of another shape                   promptfoo#1970              broken.test.ts
 *  cached tokens counted twice               promptfoo#7546, litellm#6215  answers.test.ts, test/providers/usage.test.ts
 *  cache writes counted twice                litellm#9812                test/providers/usage.test.ts
 *  no stop at a systemic error               promptfoo#7911              outage.test.ts
 *  more requests than tries                  litellm#34129, #12358       here, broken.test.ts
 *  a broken stream is free                   litellm#14457, #34147       broken.test.ts, money.test.ts
 *  parallel calls pass the budget            litellm#18730, #34732       money.test.ts
 *  what cannot be reserved is sent           litellm#33923               money.test.ts
 *  a reservation without the dear tier       litellm#40002               test/domain/money.test.ts
 *  one request larger than the limit         litellm#4829                pace.test.ts
 *  the vendor's own error is lost            inspect_ai#5340             fatal.test.ts
 *  a quota of a day is asked all day         inspect_ai#5526             here
 *  one model's 429s slow another             inspect_ai#3984             outage.test.ts
 *  a limit that stays low for ever           inspect_ai#5138             test/domain/lane/pace.test.ts
 *  the same timeout again and again          inspect_ai#3558             here
 *  no timeout; the last job hangs            inspect_ai#2568, #2487      broken.test.ts
 *  a busy loop times connections out         inspect_ai#4884             here
 *  bottleneck loses jobs                     bottleneck#185, #152        test/pacing/provider-gate.test.ts
 *  a double burst at a window's edge         bottleneck#153              pace.test.ts
 *  p-queue's timers, signals and intervals   p-queue#163, #219           the pool uses none: test/engine/work-loop.test.ts
 *  a late answer makes a second result       openai/evals#1333           test/e2e/crash.test.ts, test/store/contract-claims.ts
 *  a cut answer mended into a whole one      mastra#24442                answers.test.ts
 *  a prompt cut in silence                   ollama#17889                answers.test.ts
 *  a schema that is not enforced             llama.cpp#24097, #19774     answers.test.ts
 */

test.each([1, 3])('with %i attempts a server error is that many requests, and as many attempts', async (count) => {
  const { place, provider } = await atWork(() => free(status(500, { error: { message: 'boom' } })), {
    manifest: { retry: { attempts: count } },
  });
  expect((await runIn(place)).exitCode).toBe(3);
  expect(provider.requests).toHaveLength(count);
  expect(attempts(place).filter(({ counted }) => counted === 1)).toHaveLength(count);
  await expectBooksToAgree(place, provider);
});

const DAY = {
  code: 429,
  status: 'RESOURCE_EXHAUSTED',
  message: 'You exceeded your current quota. Please retry in 34.07s',
  details: [
    { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' },
  ],
};

test("Google's quota of a day pauses until the day ends, not for the seconds that it names", async () => {
  const respond = (asked: Asked): Reply => (asked.n === 1 ? good(asked) : free(status(429, [{ error: DAY }])));
  const { place, provider } = await atWork(respond, { documents: 4, limits: { concurrency: 1 } });
  expect((await runIn(place)).exitCode).toBe(3);
  expect(provider.requests).toHaveLength(2);
  const { waiting } = await hereJson(place, 'status');
  expect(waiting).toMatchObject([{ why: 'lane_paused', count: 3, untilMs: expect.any(Number) }]);
});

test('a quota of a day whose end nobody names waits for a person', async () => {
  const daily = apiError(429, {
    message: 'Rate limit reached on requests per day (RPD): Limit 200, Used 200',
    type: 'requests',
    code: 'rate_limit_exceeded',
  });
  const { place, provider } = await atWork(() => free(daily), { documents: 4, limits: { concurrency: 1 } });
  expect((await runIn(place)).exitCode).toBe(4);
  expect(provider.requests).toHaveLength(1);
  const { waiting } = await hereJson(place, 'status');
  expect(waiting).toMatchObject([{ why: 'lane_paused', count: 4, untilMs: null }]);
});

test('a question that was too slow once is given more time', async () => {
  const slow: Scenario = async (reply, { prompt }) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.write(': OPENROUTER PROCESSING\n\n');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    reply.write(delta({ content: JSON.stringify(goodAnswer(prompt)) }));
    reply.write(delta({}, 'stop'));
    reply.write(event({ id: 'chatcmpl-1', choices: [], usage: wireUsage({ input: Math.ceil(prompt.length / 4), output: 10 }) }));
    reply.end('data: [DONE]\n\n');
  };
  const { place, provider } = await atWork((asked) => (asked.n === 1 ? costing(asked, hang()) : costing(asked, slow)));
  expect((await runIn(place)).exitCode).toBe(0);
  expect(provider.requests).toHaveLength(2);
  expect(await showIn(place)).toMatchObject({ attempts: [{ failure: { reason: 'timeout' } }, { outcome: 'succeeded' }, {}] });
});

test('a document that would keep a tokenizer busy for ever does not delay a call', async () => {
  const run = `# Part 01\n\nDevice 01 shall answer within 5 ms.\n\n${'=-'.repeat(100_000)}\n\n${'a'.repeat(20_000)}\n`;
  const { place, provider } = await atWork(good, {
    documents: { 'docs/01.md': run, 'docs/02.md': '# Part 02\n\nDevice 02 shall answer within 5 ms. <|endoftext|>\n' },
    model: { timeouts: { connectMs: 2000, firstTokenMs: 2000, idleMs: 2000 } },
  });
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { results: { pass: 2 } } });
  expect(provider.requests).toHaveLength(2);
});
