import { expect, test } from 'vitest';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider } from '../../src/domain/manifest/resolved.ts';
import { preflight } from '../../src/engine/preflight.ts';
import { createProviderSet } from '../../src/engine/provider-set.ts';
import { MANIFEST } from '../cli/sample-run.ts';

function provider(id: string): ResolvedProvider {
  return {
    ...{ id, type: 'openai', baseUrl: `http://${id}/v1`, apiKeyEnv: null, identity: null, stream: true, headers: {} },
    ...{ concurrency: 4, requestsPerMinute: null, tokensPerMinute: null, tokenAccounting: 'reserved', cassette: null, latencyMs: 0 },
  };
}

function model(id: string, ofProvider: string, name: string): ResolvedModel {
  return {
    ...{ id, provider: ofProvider, model: name, group: null, params: {}, price: null, contextTokens: null },
    structuredOutput: 'auto',
    timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
  };
}

/** Endpoints that offer these models, some with what they take. */
async function ask(
  manifest: ResolvedManifest,
  offered: { readonly [provider: string]: readonly string[] },
  contexts: { readonly [name: string]: number } = {},
): Promise<ReadonlyMap<string, number>> {
  const set = createProviderSet(manifest, async ({ id }) => ({
    preflight: async () => offered[id]?.map((name) => ({ name, contextTokens: contexts[name] ?? null })) ?? null,
    complete: () => Promise.reject(new Error('nothing is asked')),
    close: async () => undefined,
  }));
  return await preflight(manifest, Object.keys(manifest.providers), set, new AbortController().signal);
}

test('every model that is not offered is named, over all endpoints, each with what is close to it', async () => {
  const models = {
    a: model('a', 'lab', 'smal'),
    b: model('b', 'lab', 'small'),
    c: model('c', 'lab', 'larg'),
    d: model('d', 'hub', 'tiny'),
  };
  const manifest = { ...MANIFEST, providers: { lab: provider('lab'), hub: provider('hub') }, models };
  await expect(ask(manifest, { lab: ['small', 'large'], hub: ['tin'] })).rejects.toMatchObject({
    code: 'E13',
    exitCode: 4,
    message:
      'model "smal" is not offered by http://lab/v1. Closest offered: small, large; ' +
      'model "larg" is not offered by http://lab/v1. Closest offered: large, small; ' +
      'model "tiny" is not offered by http://hub/v1. Closest offered: tin',
    next: ['a', 'c', 'd'].map((id) => `fix models.${id}.model in the manifest`),
  });
});

test('an endpoint that does not say what it offers is taken as it is', async () => {
  const manifest = { ...MANIFEST, providers: { lab: provider('lab') }, models: { a: model('a', 'lab', 'any') } };
  await ask(manifest, {});
  await ask(manifest, { lab: [] });
});

test('what endpoints tell of context sizes is returned by the names that the manifest gives to its models', async () => {
  const models = { a: model('a', 'lab', 'small'), b: model('b', 'lab', 'qwen'), c: model('c', 'lab', 'silent') };
  const manifest = { ...MANIFEST, providers: { lab: provider('lab') }, models };
  const told = await ask(manifest, { lab: ['small', 'qwen:8b', 'silent'] }, { small: 8192, 'qwen:8b': 4096 });
  expect([...told]).toEqual([
    ['a', 8192],
    ['b', 4096],
  ]);
});
