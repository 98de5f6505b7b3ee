import type { ResolvedProvider } from './resolved.ts';
import type { ManifestInput } from './schema.ts';

type ProviderInput = ManifestInput['providers'][string];

const OPENAI_URL = 'https://api.openai.com/v1';
const OPENAI_KEY = 'OPENAI_API_KEY';
const DEFAULT_CONCURRENCY = 4;

/** Cassette of the provider of this id: absolute path and hash. */
export type CassetteOf = (id: string) => NonNullable<ResolvedProvider['cassette']>;

/** All providers by id; `openai` is there even if the manifest does not name it. */
export function resolveProviders(providers: ManifestInput['providers'], cassetteOf: CassetteOf): { [id: string]: ResolvedProvider } {
  const implied: ProviderInput = {
    type: 'openai',
    stream: true,
    headers: {},
    limits: { concurrency: DEFAULT_CONCURRENCY },
    tokenAccounting: 'reserved',
  };
  const all = Object.entries({ openai: implied, ...providers });
  return Object.fromEntries(all.map(([id, provider]) => [id, resolveProvider(id, provider, cassetteOf)]));
}

function resolveProvider(id: string, provider: ProviderInput, cassetteOf: CassetteOf): ResolvedProvider {
  const { tokenAccounting } = provider;
  const { concurrency, requestsPerMinute = null, tokensPerMinute = null } = provider.limits;
  const pace = { concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting };
  const none = { ...pace, baseUrl: null, apiKeyEnv: null, identity: null, stream: false, headers: {}, cassette: null, latencyMs: 0 };
  if (provider.type === 'simulated') return { ...none, id, type: provider.type, latencyMs: provider.latencyMs };
  if (provider.type === 'replay') {
    return { ...none, id, type: provider.type, latencyMs: provider.latencyMs, cassette: cassetteOf(id) };
  }
  const baseUrl = (provider.baseUrl ?? OPENAI_URL).replace(/\/+$/, '');
  const { type, identity = null, stream } = provider;
  return {
    ...none,
    id,
    type,
    baseUrl,
    apiKeyEnv: keyName(provider.apiKeyEnv, baseUrl),
    identity,
    stream,
    headers: names(provider.headers),
  };
}

/** OpenAI's key goes to OpenAI unless the manifest names another; to no other host does a key go unasked. */
function keyName(stated: string | undefined, baseUrl: string): string | null {
  return stated ?? (new URL(baseUrl).host === new URL(OPENAI_URL).host ? OPENAI_KEY : null);
}

/** `${NAME}` → `NAME`. */
function names(headers: { readonly [header: string]: string }): { [header: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([header, reference]) => [header, reference.slice(2, -1)]));
}
