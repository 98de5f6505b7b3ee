import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/domain/errors.ts';
import type { ResolvedProvider } from '../../src/domain/manifest/resolved.ts';
import { cassetteText, requestSummary } from '../../src/providers/cassette.ts';
import { endpointIdentity } from '../../src/providers/endpoint.ts';
import { createProvider, type ProviderDeps } from '../../src/providers/registry.ts';
import { wireBody, wireKey } from '../../src/providers/wire-body.ts';
import { NEVER, request } from './requests.ts';
import { answer, startScriptedServer } from './scripted-server.ts';

const DEPS: ProviderDeps = {
  apiKey: null,
  headers: {},
  clock: Date.now,
  sleep: async () => undefined,
  readFile: (path) => readFile(path, 'utf8'),
};

function resolved(parts: Partial<ResolvedProvider>): ResolvedProvider {
  return {
    id: 'p',
    type: 'simulated',
    baseUrl: null,
    apiKeyEnv: null,
    identity: null,
    stream: true,
    headers: {},
    concurrency: 4,
    requestsPerMinute: null,
    tokensPerMinute: null,
    tokenAccounting: 'reserved',
    cassette: null,
    latencyMs: 0,
    ...parts,
  };
}

describe('the registry', () => {
  it('makes an openai provider that talks to its base URL', async () => {
    const server = await startScriptedServer({ respond: () => answer('yes'), models: ['test-model'] });
    const provider = await createProvider(resolved({ type: 'openai', baseUrl: server.baseUrl }), DEPS);
    expect(await provider.preflight(NEVER)).toEqual([{ name: 'test-model', contextTokens: null }]);
    expect((await provider.complete(request(), NEVER)).content).toBe('yes');
    await provider.close();
    await server.close();
  });

  it('makes a replay provider from its cassette', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aieval-registry-'));
    const path = join(folder, 'demo.json');
    const response = { repeat: 0, answer: { content: 'recorded', refusal: null, finishReason: 'stop', usage: null, model: 'm' } } as const;
    await writeFile(path, cassetteText([{ key: wireKey(wireBody(request())), request: requestSummary(request()), responses: [response] }]));
    const provider = await createProvider(resolved({ type: 'replay', cassette: { path, sha256: 'x' } }), DEPS);
    expect((await provider.complete(request(), NEVER)).content).toBe('recorded');
    await rm(folder, { recursive: true });
  });

  it('names the provider and the file of a cassette that is not there', async () => {
    const making = createProvider(resolved({ type: 'replay', cassette: { path: '/no/such/demo.json', sha256: 'x' } }), DEPS);
    await expect(making).rejects.toBeInstanceOf(UserError);
    await expect(making).rejects.toThrow('providers.p.cassette: /no/such/demo.json cannot be read (ENOENT)');
  });

  it('makes a simulated provider', async () => {
    const provider = await createProvider(resolved({}), DEPS);
    expect((await provider.complete(request(), NEVER)).finishReason).toBe('stop');
  });
});

describe("an endpoint's identity", () => {
  it('is the base URL, or the identity that the manifest gives', () => {
    expect(endpointIdentity(resolved({ type: 'openai', baseUrl: 'http://a/v1' }))).toBe('http://a/v1');
    expect(endpointIdentity(resolved({ type: 'openai', baseUrl: 'http://a/v1', identity: 'lab' }))).toBe('lab');
  });

  it('of a replay changes with its cassette', () => {
    expect(endpointIdentity(resolved({ type: 'replay', cassette: { path: 'p', sha256: 'abc' } }))).toBe('replay:abc');
  });

  it('of a simulation is its name', () => {
    expect(endpointIdentity(resolved({}))).toBe('simulated');
  });
});
