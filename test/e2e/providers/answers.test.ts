import { expect, test } from 'vitest';
import { answer, apiError, delta, event, events, openTail, type Scenario } from '../../providers/scripted-server.ts';
import { goodAnswer } from '../project.ts';
import { atWork, runIn, showIn, summaryIn } from './at-work.ts';
import { attempts, calls, expectBooksToAgree } from './ledger.ts';
import { type Asked, costing, free, good, paid, type Reply, wireUsage } from './scriptable-provider.ts';

/** The issue of the notes' list that a test answers is named in its title: `#` and the peer's number. */

test('a good answer is one request, priced as the server bills it', async () => {
  const { place, provider } = await atWork(good, { documents: 3 });
  const { exitCode, record } = await runIn(place);
  expect(exitCode).toBe(0);
  expect(record).toMatchObject({ calls: 3, results: { pass: 3 } });
  await expectBooksToAgree(place, provider);
  expect(provider.requests).toHaveLength(3);
});

test('slow headers and a slow body are waited for: no timer counts from another one', async () => {
  const slowly: Scenario = async (reply, request) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of JSON.stringify(goodAnswer(request.prompt)).match(/[\s\S]{1,12}/g) ?? []) {
      reply.write(delta({ content: piece }));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    reply.write(delta({}, 'stop'));
    reply.write(event({ id: 'chatcmpl-1', choices: [], usage: wireUsage({ input: Math.ceil(request.prompt.length / 4), output: 10 }) }));
    reply.end('data: [DONE]\n\n');
  };
  const { place, provider } = await atWork((asked) => costing(asked, slowly));
  expect((await runIn(place)).exitCode).toBe(0);
  await expectBooksToAgree(place, provider);
  expect(provider.requests).toHaveLength(1);
});

test('a server that does not stream is asked for whole answers, and its body may be slow', async () => {
  const { place, provider } = await atWork((asked) => good(asked, { delayMs: 900 }), { provider: { stream: false } });
  expect((await runIn(place)).exitCode).toBe(0);
  expect(provider.requests[0]?.body.stream).not.toBe(true);
  await expectBooksToAgree(place, provider);
});

test('tokens read from a prompt cache are counted once, at their own price (promptfoo#7546, litellm#14849)', async () => {
  const cachedPrice = { inputPerMTok: 1, cachedInputPerMTok: 0.1, outputPerMTok: 2 };
  const respond = (asked: Asked): Reply => paid(asked, JSON.stringify(goodAnswer(asked.prompt)), {}, asked.n > 1 ? 20 : 0);
  const { place, provider } = await atWork(
    { respond, price: { input: 1000, cached: 100, output: 2000 } },
    { documents: 3, limits: { concurrency: 1 }, model: { price: cachedPrice } },
  );
  const { record } = await runIn(place);
  expect(record).toMatchObject({ exitCode: 0, calls: 3 });
  await expectBooksToAgree(place, provider);
});

test('an answer without usage is no free answer: its call stays unpriced, and is said to be', async () => {
  const { place, provider } = await atWork((asked) => free(answer(JSON.stringify(goodAnswer(asked.prompt)), { usage: null })));
  const { exitCode, record } = await runIn(place);
  expect(exitCode).toBe(0);
  expect(record).toMatchObject({ calls: 1, cost: { spentUsd: null, unpricedCalls: 1 } });
  expect(calls(place)).toMatchObject([{ state: 'settled', costNanoUsd: null }]);
  expect(provider.requests).toHaveLength(1);
});

test('usage that is cut off after the finish reason keeps the answer, and its call unpriced', async () => {
  const tail = (asked: Asked): Reply =>
    free(async (reply, request) => {
      await openTail(JSON.stringify(goodAnswer(asked.prompt)))(reply, request);
      reply.end();
    });
  const { place, provider } = await atWork(tail);
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { results: { pass: 1 }, cost: { unpricedCalls: 1 } } });
  expect(provider.requests).toHaveLength(1);
});

/** More cached tokens than there are, negative numbers, words for numbers. */
const ODD_USAGES: readonly object[] = [
  { prompt_tokens: 60, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 500 } },
  { prompt_tokens: 60, completion_tokens: -10, total_tokens: 50 },
  { prompt_tokens: 'sixty', completion_tokens: null },
];

test('usage that cannot be true costs never less than nothing, and the answer is kept', async () => {
  const respond = (asked: Asked): Reply =>
    free(answer(JSON.stringify(goodAnswer(asked.prompt)), { usage: ODD_USAGES[numberOf(asked) - 1] ?? {} }));
  const { place, provider } = await atWork(respond, { documents: ODD_USAGES.length });
  expect((await runIn(place)).exitCode).toBe(0);
  for (const { costNanoUsd } of calls(place)) expect(costNanoUsd ?? 0).toBeGreaterThanOrEqual(0);
  expect(provider.requests).toHaveLength(ODD_USAGES.length);
});

/** Of the document in the prompt. */
function numberOf({ prompt }: Asked): number {
  return Number(/Device (\d+)/.exec(prompt)?.[1]);
}

/** Two open braces and an open string: whoever repairs it has a whole, and wrong, answer. */
const CLOSABLE = '{"findings":[{"quote":"Device 01 shall answer within 5 m';

test('an answer cut at its token limit is typed, not repaired, not scored and not cached (mastra#24442, browser-use#5148)', async () => {
  const { place, provider } = await atWork((asked) => paid(asked, CLOSABLE, { finishReason: 'length' }));
  const { exitCode, record } = await runIn(place);
  expect(exitCode).toBe(3);
  expect(record).toMatchObject({ results: { error: 1, pass: 0, fail: 0 } });
  expect(await showIn(place)).toMatchObject({ job: { verdict: 'error', error: { reason: 'truncated' }, scores: [] } });
  expect(await summaryIn(place)).toContain('truncated');
  await expectBooksToAgree(place, provider);
  const asked = provider.requests.length;
  expect(asked).toBeLessThanOrEqual(2);
  await runIn(place, '--new');
  expect(provider.requests.length).toBeGreaterThanOrEqual(asked);
});

const FINAL: readonly (readonly [reason: string, respond: (asked: Asked) => Reply])[] = [
  ['refused', (asked) => paid(asked, '', { refusal: 'I cannot help with that.' })],
  ['blocked_output', (asked) => paid(asked, '{"find', { finishReason: 'content_filter' })],
  ['blocked_input', () => free(apiError(400, { message: 'filtered', code: 'content_filter' }))],
  ['input_too_long', () => free(apiError(400, { message: 'too long', code: 'context_length_exceeded' }))],
  ['bad_request', () => free(apiError(400, { message: 'seed must be an integer', type: 'invalid_request_error' }))],
  // llama.cpp#19774
  ['input_too_long', () => free(apiError(500, { code: 500, message: 'Context size has been exceeded.', type: 'server_error' }))],
];

test('a refusal, a filter, a prompt that is too long and a bad request are one request each, typed, and final', async () => {
  const respond = (asked: Asked): Reply => FINAL[numberOf(asked) - 1]?.[1](asked) ?? good(asked);
  const { place, provider } = await atWork(respond, { documents: FINAL.length });
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 3, record: { results: { error: FINAL.length } } });
  expect(provider.requests).toHaveLength(FINAL.length);
  const summary = await summaryIn(place);
  for (const [index, [reason]] of FINAL.entries()) {
    const shown = await showIn(place, `0${index + 1}`);
    expect(shown).toMatchObject({ job: { error: { reason } }, attempts: [{ outcome: 'failed', failure: { reason } }] });
    expect(summary).toContain(reason.split('_')[0]);
  }
  await expectBooksToAgree(place, provider);
});

test('an empty answer is asked once more, and then is an error', async () => {
  const { place, provider } = await atWork((asked) => paid(asked, ''));
  expect((await runIn(place)).exitCode).toBe(3);
  expect(await showIn(place)).toMatchObject({ job: { error: { reason: 'empty_answer' } } });
  expect(provider.requests.length).toBeLessThanOrEqual(2);
  await expectBooksToAgree(place, provider);
});

test('an invalid answer is asked once more with its errors, as a call of its own', async () => {
  const respond = (asked: Asked): Reply => (asked.n === 1 ? paid(asked, '{"findings":"none"}') : good(asked));
  const { place, provider } = await atWork(respond);
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { calls: 2, results: { pass: 1 } } });
  expect(provider.requests).toHaveLength(2);
  expect(provider.requests[1]?.prompt).toContain('findings');
  expect(attempts(place).map(({ outcome }) => outcome)).toContain('superseded');
  await expectBooksToAgree(place, provider);
});

test('an answer that breaks its schema twice ends as invalid_answer: whatever the server claims, it is validated (llama.cpp#24097)', async () => {
  const { place, provider } = await atWork((asked) => paid(asked, '{"findings":"none"}'));
  expect((await runIn(place)).exitCode).toBe(3);
  expect(provider.requests).toHaveLength(2);
  expect(await showIn(place)).toMatchObject({ job: { error: { reason: 'invalid_answer' } } });
  await expectBooksToAgree(place, provider);
});

test('a fence, a thinking block and a missing bracket are mended without a request', async () => {
  const wrapped = (asked: Asked): string => {
    const json = JSON.stringify(goodAnswer(asked.prompt));
    if (asked.prompt.includes('Device 01')) return `\`\`\`json\n${json}\n\`\`\``;
    return asked.prompt.includes('Device 02') ? `<think>{"findings":[]}</think>\n${json}` : json.slice(0, -1);
  };
  const { place, provider } = await atWork((asked) => paid(asked, wrapped(asked)), { documents: 3 });
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { results: { pass: 3 } } });
  expect(provider.requests).toHaveLength(3);
  await expectBooksToAgree(place, provider);
});

test('a server without json_schema, then without json_object, is asked in words; it is asked so at once from then on', async () => {
  const refusing = (asked: Asked): Reply => {
    const form = asked.body.response_format;
    const type = typeof form === 'object' && form !== null && 'type' in form ? form.type : null;
    return type === null
      ? good(asked)
      : free(apiError(400, { message: `response_format type ${type} is not supported`, param: 'response_format' }));
  };
  const { place, provider } = await atWork(refusing, { documents: 3, limits: { concurrency: 1 } });
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 0, record: { results: { pass: 3 } } });
  expect(provider.requests).toHaveLength(5);
  expect(attempts(place).filter(({ outcome, counted }) => outcome === 'downgraded' && counted === 0)).toHaveLength(2);
  expect(await showIn(place)).toMatchObject({
    attempts: [{ outcome: 'downgraded' }, { outcome: 'downgraded' }, { outcome: 'succeeded' }, { outcome: 'succeeded' }],
  });
  await expectBooksToAgree(place, provider);
});

test('a prompt that the server cut in silence is an error, and no result (ollama#17889)', async () => {
  const long = `# Part 01\n\nDevice 01 shall answer within 5 ms.\n\n${'The link shall train within the limits of table seven. '.repeat(1500)}`;
  const cut = (asked: Asked): Reply => {
    const billed = { input: 2050, output: 10 };
    return { scenario: answer(JSON.stringify(goodAnswer(asked.prompt)), { usage: wireUsage(billed) }), billed };
  };
  const { place, provider } = await atWork(cut, { documents: { 'docs/01.md': long } });
  expect((await runIn(place)).exitCode).toBe(3);
  expect(await showIn(place)).toMatchObject({ job: { verdict: 'error', error: { reason: 'input_truncated' } } });
  expect(provider.requests).toHaveLength(1);
  await expectBooksToAgree(place, provider);
});

test('an error event inside a stream is what its code says: a 502 is tried again, a filter is final', async () => {
  const inStream = (error: object): Scenario => events([delta({ content: '{"fin' }), event({ error })]);
  const respond = (asked: Asked): Reply => {
    if (asked.prompt.includes('Device 02')) return free(inStream({ code: 'content_filter', message: 'filtered' }));
    return asked.n <= 2 ? free(inStream({ code: 502, message: 'upstream is down', type: 'server_error' })) : good(asked);
  };
  const { place, provider } = await atWork(respond, { documents: 2 });
  const { exitCode, record } = await runIn(place);
  expect({ exitCode, record }).toMatchObject({ exitCode: 3, record: { results: { pass: 1, error: 1 } } });
  expect(await showIn(place, '02')).toMatchObject({ job: { error: { reason: 'blocked_input' } } });
  expect(provider.requests).toHaveLength(3);
});
