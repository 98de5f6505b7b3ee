import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { settingsOf } from '../engine/enqueue.ts';
import type { NewJob } from '../store/plan-rows.ts';
import type { Store } from '../store/store.ts';

/** What a run would do about a job: its answer, or that it is bad, is known; its document or length forbids to ask; or it is asked. */
type Fate = 'cached' | 'known_bad' | 'failed' | 'to_run';

export type JobFate = { readonly job: NewJob; readonly fate: Fate };

export type ToCall = {
  /** Jobs whose answer is known already. */
  readonly cached: number;
  /** Jobs whose answer is not known. */
  readonly jobs: readonly NewJob[];
  /** Providers that at least one of them needs. */
  readonly providers: ReadonlySet<string>;
};

/** In plan order. `store` is `null` when there is none yet. */
export async function fatesOf(store: Store | null, manifest: ResolvedManifest, jobs: readonly NewJob[]): Promise<JobFate[]> {
  const { cacheTtlMs } = settingsOf(manifest);
  const served = store !== null && servesAnswers(manifest);
  const keys = jobs.flatMap(({ steps }) => steps.map(({ key }) => key));
  const good = served ? await store.cachedKeys(keys, null, cacheTtlMs) : new Set<string>();
  const bad = served ? await store.knownBadKeys(keys) : new Set<string>();
  return jobs.map((job) => ({ job, fate: fateOf(job, good, bad) }));
}

/** Whether answers of other runs are looked up. */
export function servesAnswers({ cache }: ResolvedManifest): boolean {
  return cache.mode === 'read-write' || cache.mode === 'read';
}

function fateOf({ failure, steps }: NewJob, good: ReadonlySet<string>, bad: ReadonlySet<string>): Fate {
  if (failure !== null) return 'failed';
  if (steps.every(({ key }) => good.has(key))) return 'cached';
  return steps.some(({ key }) => !good.has(key) && !bad.has(key)) ? 'to_run' : 'known_bad';
}

/** What is left to ask, and of whom: a run that is served from the store alone needs no key and no server. */
export function toCall(manifest: ResolvedManifest, fates: readonly JobFate[]): ToCall {
  const jobs = fates.flatMap(({ job, fate }) => (fate === 'to_run' ? [job] : []));
  const providers = jobs.flatMap(({ model }) => manifest.models[model]?.provider ?? []);
  return { cached: fates.filter(({ fate }) => fate === 'cached').length, jobs, providers: new Set(providers) };
}
