import { afterEach, describe, expect, it } from 'vitest';
import { ProviderError } from '../../src/domain/errors.ts';
import { type Endpoint, openEndpoint } from '../../src/providers/openai-endpoint.ts';
import { listModels } from '../../src/providers/preflight.ts';
import { NEVER } from './requests.ts';
import { apiError, drop, hang, html, type Script, startScriptedServer, status } from './scripted-server.ts';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function endpointOf(models: Script['models']): Promise<Endpoint> {
  const server = await startScriptedServer({ respond: () => hang(), ...(models === undefined ? {} : { models }) });
  const endpoint = openEndpoint({
    baseUrl: server.baseUrl,
    apiKey: 'a-key-for-tests',
    headers: {},
    stream: true,
    connections: 2,
    clock: Date.now,
  });
  opened.push(server.close, () => endpoint.agent.destroy());
  return endpoint;
}

async function refused(models: Script['models'], limitMs?: number): Promise<object> {
  const error = await listModels(await endpointOf(models), NEVER, limitMs).catch((reason: unknown) => reason);
  if (error instanceof ProviderError) return error.failure;
  throw new Error(`expected a ProviderError, got ${String(error)}`);
}

describe('a preflight', () => {
  it('names the models offered', async () => {
    expect(await listModels(await endpointOf(['a', 'b']), NEVER)).toEqual([
      { name: 'a', contextTokens: null },
      { name: 'b', contextTokens: null },
    ]);
  });

  it('tells the context size that vLLM, OpenRouter, Groq, Mistral and llama.cpp put beside a model', async () => {
    const data = [
      { id: 'vllm', max_model_len: 8192 },
      { id: 'router', context_length: 400_000 },
      { id: 'groq', context_window: 131_072 },
      { id: 'mistral', max_context_length: 32_768 },
      { id: 'llama', meta: { n_ctx: 4096, n_ctx_train: 40_960 } },
      { id: 'odd', max_model_len: '8192', context_length: 0 },
    ];
    const models = await listModels(await endpointOf(status(200, { models: [{ name: 'llama' }], data })), NEVER);
    expect(models?.map(({ name, contextTokens }) => `${name} ${contextTokens}`)).toEqual([
      'vllm 8192',
      'router 400000',
      'groq 131072',
      'mistral 32768',
      'llama 4096',
      'odd null',
    ]);
  });

  it('reads a bare list, and a list of names', async () => {
    expect(await listModels(await endpointOf(status(200, [{ id: 'a' }, { id: 'b' }])), NEVER)).toHaveLength(2);
    expect(await listModels(await endpointOf(status(200, { models: [{ name: 'a:latest' }] })), NEVER)).toEqual([
      { name: 'a:latest', contextTokens: null },
    ]);
  });

  it('takes a server without a list, or a busy one, as it is', async () => {
    const scenarios = [
      undefined,
      status(405, ''),
      status(501, ''),
      status(503, { error: 'Loading model' }),
      status(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }, { 'retry-after': '86400' }),
      status(429, ''),
      status(200, ''),
      status(200, { ok: true }),
    ];
    for (const models of scenarios) expect(await listModels(await endpointOf(models), NEVER)).toBeNull();
  });

  it('finds a refused key', async () => {
    for (const code of [401, 403]) {
      expect(await refused(apiError(code, { message: 'Invalid API Key' }))).toMatchObject({ class: 'fatal', reason: 'auth', status: code });
    }
  });

  it('finds a web page in the place of an API', async () => {
    expect(await refused(html(200, '<html>Welcome</html>'))).toMatchObject({ class: 'fatal', reason: 'wrong_url' });
  });

  it('finds a server that is not there, that hangs up and that is silent', async () => {
    expect(await refused(drop())).toMatchObject({ class: 'fatal', reason: 'connection' });
    expect(await refused(hang(), 30)).toMatchObject({
      class: 'fatal',
      reason: 'connection',
      message: expect.stringContaining('no answer within 0.03 s'),
    });
    const endpoint = openEndpoint({
      baseUrl: 'http://no-such-host.invalid/v1',
      apiKey: null,
      headers: {},
      stream: true,
      connections: 1,
      clock: Date.now,
    });
    opened.push(() => endpoint.agent.destroy());
    await expect(listModels(endpoint, NEVER)).rejects.toMatchObject({ failure: { class: 'fatal', reason: 'connection' }, sent: false });
  });

  it('ends with the caller', async () => {
    const endpoint = await endpointOf(hang());
    await expect(listModels(endpoint, AbortSignal.timeout(30))).rejects.toMatchObject({ failure: { reason: 'cancelled' } });
  });
});
