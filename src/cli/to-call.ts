import type { NewJob } from '../store/plan-rows.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export type ToCall = {
  /** Jobs whose answer is known already. */
  readonly cached: number;
  /** Providers that at least one unanswered job needs. */
  readonly providers: ReadonlySet<string>;
};

/** What is left to ask, and of whom: a run served from the cache alone needs no key and no server. */
export async function providersToCall(store: Store, run: RunRow, jobs: readonly NewJob[]): Promise<ToCall> {
  const providers = new Set<string>();
  let cached = 0;
  for (const [provider, keys] of keysByProvider(run, jobs)) {
    const known = await store.cachedKeys(keys, run.freshAfterMs, run.settings.cacheTtlMs);
    const answered = run.settings.cacheMode === 'off' ? 0 : keys.filter((key) => known.has(key)).length;
    cached += answered;
    if (answered < keys.length) providers.add(provider);
  }
  return { cached, providers };
}

function keysByProvider(run: RunRow, jobs: readonly NewJob[]): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const job of jobs) {
    const provider = run.manifest.models[job.model]?.provider;
    if (provider === undefined) continue;
    const list = keys.get(provider) ?? [];
    for (const step of job.steps) list.push(step.key);
    keys.set(provider, list);
  }
  return keys;
}
