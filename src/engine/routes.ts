import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider } from '../domain/manifest/resolved.ts';
import { endpointIdentity } from '../providers/endpoint.ts';
import { vendorCachesPrompts } from '../providers/prompt-cache.ts';
import type { NewLane } from '../store/plan-rows.ts';

/** Where a model's calls go: the key's endpoint, the lane they draw on, and all lanes of that endpoint and key. */
export type Route = { readonly endpoint: string; readonly laneId: string; readonly accountId: string };

/** What stands for a provider's key, never the key itself; `null` where none is sent. */
export type KeyIdOf = (provider: ResolvedProvider) => string | null;

const ID_CHARACTERS = 32;

/**
 * Model → route. Models of one endpoint, key and group share a lane. A new key in the same variable is another lane, with limits and
 * a good name of its own.
 */
export function routesOf(manifest: ResolvedManifest, keyIdOf: KeyIdOf): Map<string, Route> {
  const routes = new Map<string, Route>();
  for (const model of Object.values(manifest.models)) {
    const provider = providerOf(manifest, model);
    const endpoint = endpointIdentity(provider);
    const account = [endpoint, keyIdOf(provider)];
    const [laneId, accountId] = [idOf(['lane', ...account, model.group]), idOf(['account', ...account])];
    routes.set(model.id, { endpoint, laneId, accountId });
  }
  return routes;
}

function idOf(parts: readonly (string | null)[]): string {
  return sha256Hex(canonicalJson(parts)).slice(0, ID_CHARACTERS);
}

/** The lanes of the manifest's models. Two providers of one endpoint and key are one lane: the lower of each limit holds. */
export function lanesOf(manifest: ResolvedManifest, routes: ReadonlyMap<string, Route>): NewLane[] {
  const lanes = new Map<string, NewLane>();
  for (const model of Object.values(manifest.models)) {
    const route = routes.get(model.id);
    if (route === undefined) continue;
    const lane = laneOf(model, providerOf(manifest, model), route);
    const known = lanes.get(lane.laneId);
    lanes.set(lane.laneId, known === undefined ? lane : lowest(known, lane));
  }
  return [...lanes.values()];
}

function laneOf(model: ResolvedModel, provider: ResolvedProvider, { laneId, accountId }: Route): NewLane {
  const { id, type, concurrency, requestsPerMinute, tokensPerMinute, tokenAccounting } = provider;
  return {
    laneId,
    accountId,
    label: model.group === null ? id : `${id}/${model.group}`,
    models: [model.id],
    concurrency,
    requestsPerMinute,
    tokensPerMinute,
    tokenAccounting,
    adaptive: type === 'openai',
    cachesPrompts: vendorCachesPrompts(provider) || paysLessForCached(model),
  };
}

/** Nobody prices what a server does not do. */
function paysLessForCached({ price }: ResolvedModel): boolean {
  return price !== null && price !== 'free' && (price.cachedInputPerMTok ?? price.inputPerMTok) < price.inputPerMTok;
}

function lowest(one: NewLane, other: NewLane): NewLane {
  return {
    ...one,
    models: [...one.models, ...other.models],
    concurrency: Math.min(one.concurrency, other.concurrency),
    requestsPerMinute: lower(one.requestsPerMinute, other.requestsPerMinute),
    tokensPerMinute: lower(one.tokensPerMinute, other.tokensPerMinute),
    // It never counts less than "actual" does.
    tokenAccounting: one.tokenAccounting === other.tokenAccounting ? one.tokenAccounting : 'reserved',
    cachesPrompts: one.cachesPrompts || other.cachesPrompts,
  };
}

function lower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function providerOf(manifest: ResolvedManifest, model: ResolvedModel): ResolvedProvider {
  const provider = manifest.providers[model.provider];
  if (provider === undefined) throw new Error(`model ${model.id} names provider ${model.provider}, which is not there`);
  return provider;
}
