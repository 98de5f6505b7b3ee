import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { settingsOf } from '../../engine/enqueue.ts';
import { knownReduce } from '../../engine/known-reduce.ts';
import type { Pool } from '../../engine/pool.ts';
import type { FollowingStep, LaterCall, NewJob, NewStep } from '../../store/plan-rows.ts';
import type { Store } from '../../store/store.ts';
import type { Prepared } from './prepare.ts';

/** What a run would do about a job: its answer, or that it is bad, is known; its document or length forbids to ask; or it is asked. */
type Fate = 'cached' | 'known_bad' | 'failed' | 'to_run';

export type JobFate = {
  readonly job: NewJob;
  readonly fate: Fate;
  /** Its steps whose answers are not known. */
  readonly ask: readonly NewStep[];
  /** What will follow from their answers. */
  readonly later: readonly LaterCall[];
};

export type ToCall = {
  /** Jobs whose answer is known already. */
  readonly cached: number;
  /** Jobs whose answer is not known, with those of their calls that will be made. */
  readonly jobs: readonly NewJob[];
  /** Providers that at least one of them needs. */
  readonly providers: ReadonlySet<string>;
};

export type Planned = Pick<Prepared, 'manifest' | 'documents'> & { readonly plan: { readonly jobs: readonly NewJob[] } };

/** In plan order. `store` is `null` when there is none yet. What follows from answers that are all known is known as well. */
export async function fatesOf(store: Store | null, planned: Planned, pool: Pick<Pool, 'merge' | 'size'>): Promise<JobFate[]> {
  const { manifest, plan } = planned;
  if (store === null || !servesAnswers(manifest)) return plan.jobs.map((job) => fateOf(job, NOTHING));
  const { cacheTtlMs } = settingsOf(manifest);
  const known = async (keys: Iterable<string>): Promise<Known> => {
    const found = { good: new Set<string>(), bad: new Set<string>() };
    for (const page of pagesOf(keys)) {
      for (const key of await store.cachedKeys(page, null, cacheTtlMs)) found.good.add(key);
      for (const key of await store.knownBadKeys(page)) found.bad.add(key);
    }
    return found;
  };
  const steps = await known(keysOf(plan.jobs));
  const fates = plan.jobs.map((job) => fateOf(job, steps));
  const reduces = await reducesOf(store, planned, fates.filter(isReduceOnly), pool);
  const followed = await known([...reduces.values()].flatMap((reduce) => reduce?.key ?? []));
  return fates.map((each) => {
    const reduce = reduces.get(each.job.jobId);
    return reduce === undefined ? each : reducedFate(each, reduce, followed);
  });
}

function* keysOf(jobs: readonly NewJob[]): Generator<string> {
  for (const { steps } of jobs) for (const { key } of steps) yield key;
}

/** Keys that are looked up together: all of a large plan would be a statement of megabytes. */
const KEYS_PER_PAGE = 10_000;

function* pagesOf(keys: Iterable<string>): Generator<readonly string[]> {
  let page: string[] = [];
  for (const key of keys) {
    page.push(key);
    if (page.length < KEYS_PER_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Whether answers of other runs are looked up. */
export function servesAnswers({ cache }: ResolvedManifest): boolean {
  return cache.mode === 'read-write' || cache.mode === 'read';
}

/** `--no-cache`: other runs' answers are neither taken nor given; within the run nothing is asked twice all the same. */
export function withoutCache(manifest: ResolvedManifest): ResolvedManifest {
  return { ...manifest, cache: { ...manifest.cache, mode: 'off' } };
}

/** Keys whose answer is known, and keys whose answer is known to be bad. */
type Known = { readonly good: ReadonlySet<string>; readonly bad: ReadonlySet<string> };

const NOTHING: Known = { good: new Set(), bad: new Set() };

/** One part that is known to be bad ends all of its job. */
function fateOf(job: NewJob, { good, bad }: Known): JobFate {
  if (job.failure !== null) return over(job, 'failed');
  const ask = job.steps.filter(({ key }) => !good.has(key));
  if (ask.some(({ key }) => bad.has(key))) return over(job, 'known_bad');
  return ask.length + job.later.length === 0 ? over(job, 'cached') : { job, fate: 'to_run', ask, later: job.later };
}

function over(job: NewJob, fate: Fate): JobFate {
  return { job, fate, ask: [], later: [] };
}

function isReduceOnly({ fate, ask, later }: JobFate): boolean {
  return fate === 'to_run' && ask.length === 0 && later.length > 0;
}

/** By job; `null`: nothing will be asked. Where an answer went meanwhile, there is none. */
async function reducesOf(
  store: Store,
  { manifest, documents }: Planned,
  fates: readonly JobFate[],
  pool: Pick<Pool, 'merge' | 'size'>,
): Promise<ReadonlyMap<string, FollowingStep | null>> {
  const texts = new Map(documents.flatMap(({ documentId, extraction }) => (extraction.ok ? [[documentId, extraction.content]] : [])));
  const { cacheTtlMs } = settingsOf(manifest);
  const reduces = new Map<string, FollowingStep | null>();
  const lookUp = async ({ job }: JobFate): Promise<void> => {
    const answers = await store.cachedAnswers([...new Set(job.steps.map(({ key }) => key))], null, cacheTtlMs);
    const content = texts.get(job.documentId);
    if (content === undefined || job.steps.some(({ key }) => !answers.has(key))) return;
    const document = { documentId: job.documentId, content };
    reduces.set(job.jobId, await knownReduce({ manifest, job, document, answers, pool }));
  };
  // A few at a time: together their answers may be large.
  for (let start = 0; start < fates.length; start += pool.size) await Promise.all(fates.slice(start, start + pool.size).map(lookUp));
  return reduces;
}

/** A job that will fail without a call is as good as known to be bad. */
function reducedFate({ job }: JobFate, reduce: FollowingStep | null, { good, bad }: Known): JobFate {
  if (reduce === null) return over(job, 'known_bad');
  if (good.has(reduce.key)) return over(job, 'cached');
  return bad.has(reduce.key) ? over(job, 'known_bad') : { job, fate: 'to_run', ask: [], later: [{ ...reduce, answers: 0 }] };
}

/** What is left to ask, and of whom: a run that is served from the store alone needs no key and no server. */
export function toCall(manifest: ResolvedManifest, fates: readonly JobFate[]): ToCall {
  const jobs = fates.flatMap(({ job, fate, ask, later }) => (fate === 'to_run' ? [{ ...job, steps: ask, later }] : []));
  const providers = jobs.flatMap(({ model }) => manifest.models[model]?.provider ?? []);
  return { cached: fates.filter(({ fate }) => fate === 'cached').length, jobs, providers: new Set(providers) };
}
