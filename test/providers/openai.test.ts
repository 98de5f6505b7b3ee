import { createServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { CompletionRequest } from '../../src/domain/completion.ts';
import { ProviderError, UserError } from '../../src/domain/errors.ts';
import { createOpenAiProvider } from '../../src/providers/openai.ts';
import type { OpenAiOptions } from '../../src/providers/openai-endpoint.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { JSON_FORM, NEVER, request, SCHEMA } from './requests.ts';
import {
  answer,
  answerJson,
  apiError,
  cut,
  cutBody,
  delta,
  drop,
  event,
  events,
  hang,
  html,
  openTail,
  pings,
  type Scenario,
  type ScriptedServer,
  stall,
  startScriptedServer,
  status,
  wholeAnswer,
} from './scripted-server.ts';

const KEY = 'sk-test-0123456789abcdef';
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const item of opened.splice(0).reverse()) await item.close();
});

async function serve(scenario: Scenario, options: Partial<OpenAiOptions> = {}): Promise<{ server: ScriptedServer; provider: Provider }> {
  const server = await startScriptedServer({ respond: () => scenario });
  opened.push(server);
  return { server, provider: provide({ baseUrl: server.baseUrl, ...options }) };
}

function provide(options: Partial<OpenAiOptions> & { baseUrl: string }): Provider {
  const provider = createOpenAiProvider({ apiKey: KEY, headers: {}, stream: true, connections: 4, clock: Date.now, ...options });
  opened.push(provider);
  return provider;
}

async function failed(provider: Provider, asked: CompletionRequest = request(), signal = NEVER): Promise<ProviderError> {
  const error = await provider.complete(asked, signal).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof ProviderError) return error;
  throw new Error(`expected a ProviderError, got ${String(error)}`);
}

function limits(parts: Partial<CompletionRequest['timeouts']>): CompletionRequest {
  return request({ timeouts: { ...request().timeouts, ...parts } });
}

describe('an answer', () => {
  for (const stream of [true, false]) {
    const mode = stream ? 'streamed' : 'whole';

    it(`${mode}, has content, usage in disjoint units, finish reason, model and request id`, async () => {
      const usage = { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130, prompt_tokens_details: { cached_tokens: 60 } };
      const scenario = answer('The register is reset to zero.', { usage, headers: { 'x-request-id': 'req-7' }, model: 'served' });
      const { provider } = await serve(scenario, { stream });
      const completion = await provider.complete(request(), NEVER);
      expect(completion).toMatchObject({
        content: 'The register is reset to zero.',
        refusal: null,
        finishReason: 'stop',
        usage: { uncachedInput: 40, cacheRead: 60, cacheWrite: 0, output: 30, reasoning: 0 },
        model: 'served',
        requestId: 'req-7',
        mode: null,
      });
      expect(completion.latencyMs).toBeGreaterThanOrEqual(0);
      expect(completion.firstTokenMs === null).toBe(!stream);
    });

    it(`${mode}, that was cut by the token limit comes back with finish reason length`, async () => {
      const { provider } = await serve(answer('{"score": 4, "quo', { finishReason: 'length' }), { stream });
      expect(await provider.complete(request(), NEVER)).toMatchObject({ finishReason: 'length', content: '{"score": 4, "quo' });
    });

    it(`${mode}, that is a refusal comes back with the refusal`, async () => {
      const { provider } = await serve(answer('', { refusal: 'I cannot help with that.' }), { stream });
      expect(await provider.complete(request(), NEVER)).toMatchObject({ refusal: 'I cannot help with that.', content: '' });
    });

    it(`${mode}, without usage has null usage`, async () => {
      const { provider } = await serve(answer('yes', { usage: null }), { stream });
      expect(await provider.complete(request(), NEVER)).toMatchObject({ content: 'yes', usage: null });
    });

    it(`${mode}, without a finish reason is no success`, async () => {
      const { provider } = await serve(answer('yes', { finishReason: null }), { stream });
      const { failure, sent } = await failed(provider);
      expect(failure).toMatchObject({ class: 'transient', reason: 'stream_cut', partial: 'yes' });
      expect(sent).toBe(true);
    });
  }

  it('that comes whole although a stream was asked for is taken', async () => {
    const { provider } = await serve(wholeAnswer('yes'));
    expect(await provider.complete(request(), NEVER)).toMatchObject({ content: 'yes', finishReason: 'stop' });
  });

  it('whose tail never comes is kept, without usage', async () => {
    const { provider } = await serve(openTail('paid for'));
    expect(await provider.complete(limits({ idleMs: 40 }), NEVER)).toMatchObject({
      content: 'paid for',
      usage: null,
      finishReason: 'stop',
    });
  });

  it('that is whole ends though empty events, or other words, go on coming', async () => {
    for (const more of [
      delta({ content: '' }),
      delta({}, 'stop'),
      delta({ content: 'x' }),
      event({ choices: [], usage: { prompt_tokens: 7 } }),
    ]) {
      const { provider } = await serve(async (reply, seen) => {
        await openTail('paid for')(reply, seen);
        const timer = setInterval(() => reply.write(more), 10);
        await seen.gone;
        clearInterval(timer);
      });
      expect(await provider.complete(limits({ idleMs: 60 }), NEVER)).toMatchObject({ content: 'paid for', finishReason: 'stop' });
    }
  });

  it('whose server names a finish reason with every piece, or with its thoughts, is read to its end', async () => {
    const pieces = [delta({ content: 'one ' }, 'stop'), delta({ content: 'two ' }, 'stop'), delta({ content: 'three' }, 'length')];
    const every = await serve(events(pieces));
    expect(await every.provider.complete(request(), NEVER)).toMatchObject({ content: 'one two three', finishReason: 'length' });
    const thoughts = await serve(
      events([delta({ reasoning_content: 'hm' }, 'stop'), delta({ content: 'yes ' }), delta({ content: 'no' }, 'stop')]),
    );
    expect(await thoughts.provider.complete(request(), NEVER)).toMatchObject({ content: 'yes no', finishReason: 'stop' });
  });

  for (const stream of [true, false]) {
    it.each([[''], [false], [0], [null]])(
      `to a ${stream ? 'stream' : 'whole'} request with "error": %j beside it is paid for and kept`,
      async (error) => {
        const choices = [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop' }];
        const { provider } = await serve(status(200, { error, choices }), { stream });
        expect(await provider.complete(request(), NEVER)).toMatchObject({ content: 'yes', finishReason: 'stop' });
      },
    );

    it(`to a ${stream ? 'stream' : 'whole'} request with an error beside its choices is none`, async () => {
      const choices = [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop' }];
      for (const error of ['boom', { message: 'boom' }]) {
        const { provider } = await serve(status(200, { error, choices }), { stream });
        expect((await failed(provider)).failure).toMatchObject({ class: 'transient', reason: 'server_error' });
      }
    });

    it(`to a ${stream ? 'stream' : 'whole'} request that nests without end is read as far as it is one`, async () => {
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
      const nothing = await serve(status(200, `{"choices":${deep}}`), { stream });
      expect((await failed(nothing.provider)).failure).toMatchObject({ class: 'transient', reason: 'stream_cut' });
      const choice = '{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}';
      const beside = await serve(status(200, `{"choices":[${choice}],\r\n\n"extra":${deep}}`), { stream });
      expect(await beside.provider.complete(request(), NEVER)).toMatchObject({ content: 'yes', finishReason: 'stop' });
    });
  }

  it('with an error in its choice that nests without end is a failure like any other', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const { provider } = await serve(events([`data: {"choices":[{"index":0,"delta":{},"finish_reason":"error","error":${deep}}]}\n\n`]));
    expect((await failed(provider)).failure).toMatchObject({ class: 'transient', reason: 'server_error' });
  });

  it('never holds the key that the server echoed', async () => {
    const { provider } = await serve(answer(`your key is ${KEY}, right?`));
    expect((await provider.complete(request(), NEVER)).content).toBe('your key is [removed], right?');
  });
});

describe('a request', () => {
  it('carries the wire body, the key, the headers given and the call token, and nothing from the environment', async () => {
    const { server, provider } = await serve(answerJson({ score: 1, quote: 'x' }), { headers: { 'X-Team': 'chips' } });
    const leaks = {
      OPENAI_ORG_ID: 'org-leak',
      OPENAI_PROJECT_ID: 'proj-leak',
      OPENAI_CUSTOM_HEADERS: 'x-leak: yes',
      OPENAI_API_KEY: 'sk-leak',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    };
    Object.assign(process.env, leaks);
    try {
      await provider.complete(request({ output: JSON_FORM }), NEVER);
    } finally {
      for (const name of Object.keys(leaks)) delete process.env[name];
    }
    const [seen] = server.requests;
    expect(seen?.path).toBe('/v1/chat/completions');
    expect(seen?.body).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: 'Is the register reset to zero?' }],
      temperature: 0,
      max_tokens: 200,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: SCHEMA } },
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(seen?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'x-team': 'chips',
      'x-client-request-id': 'call-1',
      'user-agent': 'aieval',
    });
    expect(Object.entries(seen?.headers ?? {}).filter(([name, value]) => /leak|stainless|openai/.test(`${name} ${value}`))).toEqual([]);
  });

  it('without a key has no authorization', async () => {
    const { server, provider } = await serve(answer('yes'), { apiKey: null });
    await provider.complete(request(), NEVER);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('is sent exactly once, whatever the server answers', async () => {
    for (const scenario of [
      apiError(500, { message: 'x' }),
      apiError(429, { message: 'slow down' }, { 'retry-after': '0' }),
      drop(),
      cut('a', 'rst'),
    ]) {
      const { server, provider } = await serve(scenario);
      await failed(provider);
      expect(server.requests).toHaveLength(1);
    }
  });

  it('is not sent on to where a redirect points', async () => {
    const target = await serve(answer('stolen'));
    const { provider } = await serve(status(307, '', { location: `${target.server.baseUrl}/chat/completions` }));
    const { failure } = await failed(provider);
    expect(failure).toMatchObject({ class: 'fatal', reason: 'wrong_url', status: 307 });
    expect(target.server.requests).toHaveLength(0);
  });

  it('with a key that holds a line break is refused when the provider is made', () => {
    expect(() =>
      createOpenAiProvider({
        baseUrl: 'http://127.0.0.1:1/v1',
        apiKey: 'abc\ndef',
        headers: {},
        stream: true,
        connections: 1,
        clock: Date.now,
      }),
    ).toThrow(UserError);
  });

  it('leaves no listener on the signal of the run', async () => {
    const { provider } = await serve(answer('yes'));
    const controller = new AbortController();
    const counted = countListeners(controller.signal);
    for (let i = 0; i < 20; i += 1) await provider.complete(request(), controller.signal);
    expect(counted.open()).toBe(0);
    expect(counted.added()).toBeGreaterThanOrEqual(20);
  });
});

function countListeners(signal: AbortSignal): { open(): number; added(): number } {
  let added = 0;
  let removed = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    added += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    removed += 1;
    remove(...given);
  };
  return { open: () => added - removed, added: () => added };
}

describe('the listener of a call', () => {
  const HEADERS = { 'x-ratelimit-remaining-requests': '7', 'x-echo': `Bearer ${KEY}` };

  async function told(scenario: Scenario, options: Partial<OpenAiOptions> = {}): Promise<string[]> {
    const { provider } = await serve(scenario, options);
    const heard: string[] = [];
    const listener = {
      onHeaders: (header: (name: string) => string | null) => {
        heard.push(`headers ${header('x-ratelimit-remaining-requests')} ${header('x-echo')} ${header('x-none')}`);
      },
      onFirstToken: () => heard.push('first token'),
    };
    await provider.complete(limits({ idleMs: 200 }), NEVER, listener).then(
      () => heard.push('answered'),
      () => heard.push('failed'),
    );
    return heard;
  }

  const ALL = 'headers 7 Bearer [removed] null';

  it('hears the headers, without the key, and the first token, each once, before the answer', async () => {
    expect(await told(answer('a long answer in several pieces', { headers: HEADERS }))).toEqual([ALL, 'first token', 'answered']);
    expect(await told(answer('yes', { headers: HEADERS }), { stream: false })).toEqual([ALL, 'first token', 'answered']);
  });

  it('hears of thinking as of the first token', async () => {
    expect(await told(events([delta({ reasoning_content: 'hm' })]))).toEqual(['headers null null null', 'first token', 'failed']);
  });

  it('hears the headers of every error before the failure, and no token', async () => {
    for (const stream of [true, false]) {
      expect(await told(status(429, {}, HEADERS), { stream })).toEqual([ALL, 'failed']);
      expect(await told(status(200, { error: { code: 429 } }, HEADERS), { stream })).toEqual([ALL, 'failed']);
      expect(await told(html(502, '<html>'), { stream })).toEqual(['headers null null null', 'failed']);
    }
    expect(await told(drop())).toEqual(['failed']);
  });
});

describe('a stream', () => {
  for (const how of ['fin', 'rst'] as const) {
    it(`cut by ${how} is a transient failure that keeps the words so far`, async () => {
      const { provider } = await serve(cut('The register is', how));
      const error = await failed(provider);
      expect(error.failure).toMatchObject({ class: 'transient', reason: 'stream_cut', partial: 'The register is' });
      expect(error.sent).toBe(true);
    });
  }

  it('with an error event is classed by the code of the event, and is not free', async () => {
    const error = {
      code: 500,
      message: 'The model produced output that does not match the expected peg-native format',
      type: 'server_error',
    };
    const { provider } = await serve(events([delta({ content: 'half' }), event({ error })]));
    const { failure, sent } = await failed(provider);
    expect(failure).toMatchObject({ class: 'transient', reason: 'server_error', code: 'server_error', status: 200, partial: 'half' });
    expect(sent).toBe(true);
  });

  it('with an error inside a choice fails by its code', async () => {
    const choice = { index: 0, delta: { content: '' }, finish_reason: 'error', error: { code: 429, message: 'upstream is busy' } };
    const { provider } = await serve(events([event({ choices: [choice] }), 'data: [DONE]\n\n']));
    expect((await failed(provider)).failure).toMatchObject({ class: 'rate', reason: 'rate_limited' });
  });

  it('with an event that is no JSON is cut', async () => {
    const { provider } = await serve(events([delta({ content: 'half' }), 'data: {"id":"x","cho\n\n']));
    expect((await failed(provider)).failure).toMatchObject({ class: 'transient', reason: 'stream_cut', partial: 'half' });
  });

  it('declared as plain text is read all the same', async () => {
    const text = `${delta({ content: 'yes' })}${delta({}, 'stop')}data: [DONE]\n\n`;
    const { provider } = await serve(status(200, text, { 'content-type': 'text/plain' }));
    expect(await provider.complete(request(), NEVER)).toMatchObject({ content: 'yes', finishReason: 'stop' });
  });
});

describe('a timer', () => {
  it('for the first token ends a call whose server says nothing', async () => {
    const { server, provider } = await serve(hang());
    const error = await failed(provider, limits({ firstTokenMs: 40 }));
    expect(error.failure).toMatchObject({ class: 'transient', reason: 'timeout' });
    expect(error.failure.message).toContain('timeouts.firstTokenMs');
    expect(error.sent).toBe(true);
    await server.requests[0]?.gone;
  });

  it('for the first token is not reset by pings', async () => {
    const { provider } = await serve(pings('', 5));
    const { failure } = await failed(provider, limits({ firstTokenMs: 80 }));
    expect(failure.message).toContain('timeouts.firstTokenMs');
  });

  it('for silence ends a stalled stream, pings or not, and keeps the words so far', async () => {
    for (const scenario of [stall('some words'), pings('some words', 5)]) {
      const { server, provider } = await serve(scenario);
      const { failure } = await failed(provider, limits({ idleMs: 60 }));
      expect(failure).toMatchObject({ class: 'transient', reason: 'timeout', partial: 'some words' });
      expect(failure.message).toContain('timeouts.idleMs');
      await server.requests[0]?.gone;
    }
  });

  it('for the whole ends a call that is still talking', async () => {
    const talk: Scenario = async (reply, seen) => {
      await stall('a')(reply, seen);
      const timer = setInterval(() => reply.write(delta({ content: 'a' })), 5);
      await seen.gone;
      clearInterval(timer);
    };
    const { provider } = await serve(talk);
    expect((await failed(provider, limits({ totalMs: 80 }))).failure.message).toContain('timeouts.totalMs');
  });

  it('for the whole is the only one without a stream', async () => {
    const { provider } = await serve(answer('yes', { delayMs: 60 }), { stream: false });
    expect(await provider.complete(limits({ firstTokenMs: 5, idleMs: 5 }), NEVER)).toMatchObject({ content: 'yes' });
    const silent = await serve(hang(), { stream: false });
    expect((await failed(silent.provider, limits({ totalMs: 40 }))).failure.message).toContain('timeouts.totalMs');
  });

  it('for the connection ends a call that was never sent', async () => {
    const server = await startScriptedServer({ respond: () => hang() });
    opened.push(server);
    const provider = provide({ baseUrl: server.baseUrl, connections: 1 });
    const first = failed(provider, limits({ totalMs: 400 }));
    const second = await failed(provider, limits({ connectMs: 40 }));
    expect(second.failure.message).toContain('timeouts.connectMs');
    expect(second.sent).toBe(false);
    await first;
    expect(server.requests).toHaveLength(1);
  });

  it('tolerates a model that thinks before it speaks', async () => {
    const { provider } = await serve(answer('yes', { reasoning: 'hm' }));
    expect(await provider.complete(request(), NEVER)).toMatchObject({ content: 'yes' });
  });
});

describe('an abort by the caller', () => {
  it('ends a running call at once, and the server sees it', async () => {
    const { server, provider } = await serve(async (reply, seen) => {
      await stall('some words')(reply, seen);
      controller.abort();
    });
    const controller = new AbortController();
    const error = await failed(provider, request(), controller.signal);
    expect(error.failure).toMatchObject({ class: 'transient', reason: 'cancelled' });
    expect(error.sent).toBe(true);
    await server.requests[0]?.gone;
  });

  it('before the call sends nothing', async () => {
    const { server, provider } = await serve(answer('yes'));
    const error = await failed(provider, request(), AbortSignal.abort());
    expect(error.failure.reason).toBe('cancelled');
    expect(error.sent).toBe(false);
    expect(server.requests).toHaveLength(0);
  });
});

describe('a failing server', () => {
  it('that is not there is a connection failure that names host and code, and nothing was sent', async () => {
    const port = await freePort();
    const error = await failed(provide({ baseUrl: `http://127.0.0.1:${port}/v1` }));
    expect(error.failure).toMatchObject({ class: 'transient', reason: 'connection', code: 'ECONNREFUSED' });
    expect(error.failure.message).toBe(`cannot reach 127.0.0.1:${port} (ECONNREFUSED)`);
    expect(error.sent).toBe(false);
  });

  it('that closes before it answers may have billed the call', async () => {
    const { provider } = await serve(drop());
    const error = await failed(provider);
    expect(error.failure).toMatchObject({ class: 'transient', reason: 'connection' });
    expect(error.sent).toBe(true);
  });

  it('that breaks off a whole answer leaves what came', async () => {
    const { provider } = await serve(cutBody(200, '{"id":"chatcmpl-1","choi'), { stream: false });
    expect((await failed(provider)).failure).toMatchObject({
      class: 'transient',
      reason: 'stream_cut',
      partial: '{"id":"chatcmpl-1","choi',
    });
  });

  for (const stream of [true, false]) {
    it(`answers a ${stream ? 'stream' : 'whole'} request with a web page: the base URL is wrong`, async () => {
      const { provider } = await serve(html(200, '<!doctype html><title>Log in</title><body><h1>Welcome</h1>'), { stream });
      const { failure } = await failed(provider);
      expect(failure).toMatchObject({ class: 'fatal', reason: 'wrong_url', status: 200 });
      expect(failure.message).toContain('Log in Welcome');
    });

    it(`answers a ${stream ? 'stream' : 'whole'} request with an error inside a 200: the body's code decides`, async () => {
      const { provider } = await serve(apiError(200, { code: 429, message: 'slow down' }), { stream });
      expect((await failed(provider)).failure).toMatchObject({ class: 'rate', reason: 'rate_limited', status: 200 });
    });

    it(`answers a ${stream ? 'stream' : 'whole'} request with nothing: try again`, async () => {
      const { provider } = await serve(status(200, ''), { stream });
      expect((await failed(provider)).failure).toMatchObject({ class: 'transient', reason: 'server_error' });
    });
  }

  it('keeps a flat error body, scrubbed of the key', async () => {
    const { provider } = await serve(
      status(400, { object: 'error', message: `bad key ${KEY} in field`, code: 40_001 }, { 'x-request-id': 'req-9' }),
    );
    const { failure } = await failed(provider);
    expect(failure).toMatchObject({ class: 'permanent', reason: 'bad_request', status: 400, requestId: 'req-9' });
    expect(failure.message).toContain('bad key [removed] in field');
    expect(failure.partial).toContain('40001');
    expect(JSON.stringify(failure)).not.toContain(KEY);
  });

  it('that says that it is the wrong one (421) is asked once, and told so', async () => {
    const server = await startScriptedServer({ respond: () => status(421, 'elsewhere', { 'content-type': 'text/plain' }) });
    opened.push(server);
    const end = await provide({ baseUrl: server.baseUrl, stream: true })
      .complete(request({}), NEVER)
      .catch((error: unknown) => error);
    expect(end).toMatchObject({ failure: { class: 'transient', reason: 'server_error', status: 421 } });
    expect(server.requests).toHaveLength(1);
  });

  it('of any kind gives an answer or a classified failure, by one request', async () => {
    let next: Scenario = hang();
    const server = await startScriptedServer({ respond: () => next });
    opened.push(server);
    const providers = [true, false].map((stream) => provide({ baseUrl: server.baseUrl, stream }));
    const bodies = fc.oneof(
      fc.json(),
      fc.string(),
      fc.record({ error: fc.jsonValue() }).map((value) => JSON.stringify(value)),
      fc.record({ choices: fc.jsonValue(), usage: fc.jsonValue() }).map((value) => JSON.stringify(value)),
      fc
        .array(fc.record({ choices: fc.array(fc.jsonValue()), usage: fc.jsonValue(), error: fc.jsonValue() }))
        .map((values) => values.map(event).join('')),
    );
    const codes = fc.oneof(fc.constantFrom(200, 201, 302, 400, 401, 404, 409, 422, 429, 500, 503, 529), fc.integer({ min: 200, max: 599 }));
    const types = fc.constantFrom('application/json', 'text/event-stream', 'text/html', 'text/plain');
    let asked = 0;
    const property = fc.asyncProperty(codes, bodies, types, async (code, body, type) => {
      next = status(code, body, { 'content-type': type });
      for (const provider of providers) {
        const end = await provider.complete(request({ output: JSON_FORM }), NEVER).catch((error: unknown) => error);
        if (end instanceof Error && !(end instanceof ProviderError)) throw end;
        asked += 1;
        expect(server.requests).toHaveLength(asked);
      }
    });
    await fc.assert(property, { numRuns: 200, endOnFailure: true });
  });

  it('that asks to wait for days is answered for at once', async () => {
    const { provider } = await serve(
      apiError(429, { message: 'Rate limit reached', code: 'rate_limit_exceeded' }, { 'retry-after': '277403' }),
    );
    expect((await failed(provider)).failure).toMatchObject({
      class: 'rate',
      reason: 'rate_limited',
      retryAfterMs: 277_403_000,
      code: 'rate_limit_exceeded',
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
