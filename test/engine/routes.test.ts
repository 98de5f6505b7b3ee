import { describe, expect, test } from 'vitest';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider } from '../../src/domain/manifest/resolved.ts';
import { type KeyIdOf, lanesOf, routesOf } from '../../src/engine/routes.ts';
import { MANIFEST } from '../store/rows.ts';

const PROVIDER: ResolvedProvider = {
  id: 'lab',
  type: 'openai',
  baseUrl: 'http://127.0.0.1:8000/v1',
  apiKeyEnv: 'LAB_KEY',
  identity: null,
  stream: true,
  headers: {},
  concurrency: 4,
  requestsPerMinute: null,
  tokensPerMinute: null,
  tokenAccounting: 'reserved',
  cassette: null,
  latencyMs: 0,
};

const MODEL: ResolvedModel = {
  id: 'fast',
  provider: 'lab',
  model: 'm',
  group: null,
  params: {},
  price: null,
  contextTokens: null,
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};

function manifest(providers: readonly Partial<ResolvedProvider>[], models: readonly Partial<ResolvedModel>[]): ResolvedManifest {
  const byId = <Entry extends { readonly id: string }>(entries: readonly Entry[]) =>
    Object.fromEntries(entries.map((each) => [each.id, each]));
  return {
    ...MANIFEST,
    providers: byId(providers.map((each) => ({ ...PROVIDER, ...each }))),
    models: byId(models.map((each) => ({ ...MODEL, ...each }))),
  };
}

const byVariable: KeyIdOf = ({ apiKeyEnv }) => apiKeyEnv;

function lanes(providers: readonly Partial<ResolvedProvider>[], models: readonly Partial<ResolvedModel>[]) {
  const all = manifest(providers, models);
  return lanesOf(all, routesOf(all, byVariable));
}

describe('a route', () => {
  const route = (provider: Partial<ResolvedProvider>, model: Partial<ResolvedModel> = {}, keyIdOf = byVariable) => {
    const found = routesOf(manifest([provider], [model]), keyIdOf).get('fast');
    if (found === undefined) throw new Error('no route');
    return found;
  };

  test('names the endpoint, and lane and account by hashes of 32 characters', () => {
    const { endpoint, laneId, accountId } = route({});
    expect(endpoint).toBe('http://127.0.0.1:8000/v1');
    expect([laneId, accountId].filter((id) => /^[0-9a-f]{32}$/.test(id))).toHaveLength(2);
    expect(laneId).not.toBe(accountId);
  });

  test.each<[string, Partial<ResolvedProvider>, Partial<ResolvedModel>]>([
    ['of another name', { id: 'lab' }, { model: 'other' }],
    ['with other limits', { concurrency: 1, requestsPerMinute: 5 }, {}],
  ])('%s is the same', (_, provider, model) => {
    expect(route(provider, model)).toEqual(route({}));
  });

  test('to a group has a lane of its own and the same account', () => {
    const [one, other, none] = [route({}, { group: 'big' }), route({}, { group: 'small' }), route({})];
    expect(new Set([one.laneId, other.laneId, none.laneId]).size).toBe(3);
    expect(new Set([one.accountId, other.accountId, none.accountId]).size).toBe(1);
  });

  test.each<[string, Partial<ResolvedProvider>, KeyIdOf]>([
    ['endpoint', { baseUrl: 'http://127.0.0.1:9000/v1' }, byVariable],
    ['key', {}, () => 'another'],
  ])('with another %s is another lane and another account', (_, provider, keyIdOf) => {
    const [before, after] = [route({}), route(provider, {}, keyIdOf)];
    expect(after.laneId).not.toBe(before.laneId);
    expect(after.accountId).not.toBe(before.accountId);
  });
});

describe('the lanes of a manifest', () => {
  test('are those that its models use, one for each group, with the limits of the provider', () => {
    const limits = { concurrency: 7, requestsPerMinute: 60, tokensPerMinute: 1000, tokenAccounting: 'actual' as const };
    const found = lanes([limits, { id: 'unused', baseUrl: 'http://127.0.0.1:1/v1' }], [{}, { id: 'same' }, { id: 'big', group: 'big' }]);
    expect(found.map(({ laneId, accountId, ...rest }) => rest)).toEqual([
      { ...limits, label: 'lab', models: ['fast', 'same'], adaptive: true, cachesPrompts: false },
      { ...limits, label: 'lab/big', models: ['big'], adaptive: true, cachesPrompts: false },
    ]);
    expect(new Set(found.map(({ accountId }) => accountId)).size).toBe(1);
  });

  test('of two providers of one endpoint and key are one, with the lower of each limit', () => {
    const found = lanes(
      [
        { concurrency: 4, requestsPerMinute: 60, tokensPerMinute: null, tokenAccounting: 'actual' },
        { id: 'twin', concurrency: 8, requestsPerMinute: 30, tokensPerMinute: 500, tokenAccounting: 'reserved' },
      ],
      [{}, { id: 'other', provider: 'twin' }],
    );
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ concurrency: 4, requestsPerMinute: 30, tokensPerMinute: 500, tokenAccounting: 'reserved' });
  });

  test('are not probed with care where nothing real answers', () => {
    expect(lanes([{ type: 'simulated', baseUrl: null }], [{}])[0]?.adaptive).toBe(false);
  });

  test.each<[string, Partial<ResolvedProvider>, Partial<ResolvedModel>, boolean]>([
    ['a vendor that is known for it', { baseUrl: 'https://api.openai.com/v1' }, {}, true],
    ['a deployment at Azure', { baseUrl: 'https://acme.openai.azure.com/openai/v1' }, {}, true],
    ['a price below that of other input', {}, { price: { inputPerMTok: 1, cachedInputPerMTok: 0.1, outputPerMTok: 1 } }, true],
    ['no lower price', {}, { price: { inputPerMTok: 1, cachedInputPerMTok: 1, outputPerMTok: 1 } }, false],
    ['nothing that says so', {}, { price: 'free' }, false],
  ])('keep prompts in a cache by %s', (_, provider, model, expected) => {
    expect(lanes([provider], [model])[0]?.cachesPrompts).toBe(expected);
  });
});
