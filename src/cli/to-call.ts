import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { settingsOf } from '../engine/enqueue.ts';
import type { NewJob } from '../store/plan-rows.ts';
import type { Store } from '../store/store.ts';

export type ToCall = {
  /** Jobs whose answer is known already. */
  readonly cached: number;
  /** Providers that at least one job needs whose answer is not known. */
  readonly providers: ReadonlySet<string>;
};

/** What is left to ask, and of whom: a run that is served from the store alone needs no key and no server. */
export async function providersToCall(store: Store, manifest: ResolvedManifest, jobs: readonly NewJob[]): Promise<ToCall> {
  const { cacheMode, cacheTtlMs } = settingsOf(manifest);
  const served = cacheMode === 'read-write' || cacheMode === 'read';
  const providers = new Set<string>();
  let cached = 0;
  for (const [provider, keys] of keysByProvider(manifest, jobs)) {
    const good = served ? await store.cachedKeys(keys, null, cacheTtlMs) : new Set<string>();
    const bad = served ? await store.knownBadKeys(keys) : new Set<string>();
    cached += keys.filter((key) => good.has(key)).length;
    if (keys.some((key) => !good.has(key) && !bad.has(key))) providers.add(provider);
  }
  return { cached, providers };
}

function keysByProvider(manifest: ResolvedManifest, jobs: readonly NewJob[]): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const job of jobs) {
    const provider = manifest.models[job.model]?.provider;
    if (provider === undefined) continue;
    const list = keys.get(provider) ?? [];
    for (const step of job.steps) list.push(step.key);
    keys.set(provider, list);
  }
  return keys;
}
