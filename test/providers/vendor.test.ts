import dns from 'node:dns';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Completion, CompletionRequest } from '../../src/domain/completion.ts';
import { createOpenAiProvider } from '../../src/providers/openai.ts';
import { vendorOf } from '../../src/providers/vendor.ts';
import { NEVER, request } from './requests.ts';
import { answer, apiError, type Scenario, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const opened: { close(): Promise<void> }[] = [];

/** Every host is this machine, so that a server here stands for a vendor's. */
beforeEach(() => {
  const local = (...given: readonly unknown[]): void => {
    const [options, done] = [given.at(-2), given.at(-1)];
    if (typeof done !== 'function') throw new Error('lookup without a callback');
    const all = typeof options === 'object' && options !== null && 'all' in options && options.all === true;
    process.nextTick(() => (all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)));
  };
  vi.spyOn(dns, 'lookup').mockImplementation(local);
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const item of opened.splice(0).reverse()) await item.close();
});

async function vendor(host: string, respond: (n: number) => Scenario) {
  const server: ScriptedServer = await startScriptedServer({ respond: ({ n }) => respond(n) });
  opened.push(server);
  const baseUrl = server.baseUrl.replace('127.0.0.1', host);
  const provider = createOpenAiProvider({ baseUrl, apiKey: null, headers: {}, stream: true, connections: 2, clock: Date.now });
  opened.push(provider);
  const ask = (parts: Partial<CompletionRequest> = {}): Promise<Completion> => provider.complete(request(parts), NEVER);
  return { server, ask };
}

const OPENAI_HOSTS = ['api.openai.com', 'eu.api.openai.com', 'mine.openai.azure.com'];
const OTHER_HOSTS = ['openrouter.ai', 'api.openai.com.evil.test', 'myopenai.azure.com.test', '127.0.0.1', 'api.groq.com'];

describe('a prompt cache key', () => {
  it.each(OPENAI_HOSTS)('is sent to %s', async (host) => {
    const { server, ask } = await vendor(host, () => answer('yes'));
    await ask({ promptCacheKey: 'prefix-1' });
    expect(server.requests[0]?.body).toMatchObject({ prompt_cache_key: 'prefix-1' });
  });

  it.each(OTHER_HOSTS)('is not sent to %s', async (host) => {
    const { server, ask } = await vendor(host, () => answer('yes'));
    await ask({ promptCacheKey: 'prefix-1' });
    expect(server.requests[0]?.body).not.toHaveProperty('prompt_cache_key');
  });

  it('is not sent when there is none, and does not replace the one of the manifest', async () => {
    const { server, ask } = await vendor('api.openai.com', () => answer('yes'));
    await ask();
    await ask({ promptCacheKey: 'ours', params: { prompt_cache_key: 'theirs' } });
    expect(server.requests[0]?.body).not.toHaveProperty('prompt_cache_key');
    expect(server.requests[1]?.body).toMatchObject({ prompt_cache_key: 'theirs' });
  });
});

describe('a cost in the usage', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11, cost: 0.0125 };

  it('is believed of OpenRouter', async () => {
    const { ask } = await vendor('openrouter.ai', () => answer('yes', { usage }));
    expect(await ask()).toMatchObject({ reportedCostUsd: 0.0125 });
  });

  it.each(['api.openai.com', 'openrouter.ai.test', '127.0.0.1'])('is nothing that %s may say', async (host) => {
    const { ask } = await vendor(host, () => answer('yes', { usage }));
    expect(await ask()).not.toHaveProperty('reportedCostUsd');
  });
});

describe('the output limit', () => {
  const refusal = (name: string, other: string): Scenario =>
    apiError(400, {
      message: `Unsupported parameter: '${name}' is not supported with this model. Use '${other}' instead.`,
      param: name,
      code: 'unsupported_parameter',
    });

  it.each([
    ['api.openai.com', 'max_completion_tokens'],
    ['mine.openai.azure.com', 'max_completion_tokens'],
    ['mine.cognitiveservices.azure.com', 'max_completion_tokens'],
    ['127.0.0.1', 'max_tokens'],
    ['openai.com.test', 'max_tokens'],
  ])('is called for %s %s', (host, name) => {
    expect(vendorOf(host).limitName).toBe(name);
  });

  it('goes by its other name from the first refusal on, for that model only, and no call is made twice', async () => {
    const { server, ask } = await vendor('127.0.0.1', (n) => (n <= 2 ? refusal('max_tokens', 'max_completion_tokens') : answer('yes')));
    const both = await Promise.allSettled([ask(), ask()]);
    const failures = both.map((each) => (each.status === 'rejected' ? each.reason.failure : null));
    expect(failures).toMatchObject([
      { class: 'capability', sameMode: true },
      { class: 'capability', sameMode: true },
    ]);
    const { wireBody } = await ask();
    expect(wireBody).toMatchObject({ max_completion_tokens: 200 });
    await ask({ model: 'another' });
    expect(server.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [200, undefined],
      [200, undefined],
      [undefined, 200],
      [200, undefined],
    ]);
  });

  it('that goes by neither name is for the person who wrote the model', async () => {
    const { ask } = await vendor('127.0.0.1', (n) =>
      n === 1 ? refusal('max_tokens', 'max_completion_tokens') : refusal('max_completion_tokens', 'max_tokens'),
    );
    await expect(ask()).rejects.toMatchObject({ failure: { class: 'capability', sameMode: true } });
    const error = await ask().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: { class: 'fatal', reason: 'unsupported' } });
    expect(error).not.toHaveProperty('failure.sameMode');
    expect(String(error)).toContain('Remove params.maxOutputTokens of the model');
  });
});
