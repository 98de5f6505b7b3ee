import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { settingsOf } from '../../engine/enqueue.ts';
import { inTurns } from '../../engine/in-turns.ts';
import { knownReduce } from '../../engine/known-reduce.ts';
import type { Plan } from '../../engine/plan.ts';
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

export type Planned = Pick<Prepared, 'manifest' | 'documents'> & { readonly plan: Pick<Plan, 'jobs'> };

/** Jobs whose answers are looked up together. */
const JOBS_PER_PAGE = 500;

/**
 * In plan order, some at a time. `store` is `null` when there is none yet. What follows from answers that are all known is known as
 * well.
 */
export async function* fatesOf(
  store: Store | null,
  planned: Planned,
  pool: Pick<Pool, 'merge' | 'size'>,
): AsyncGenerator<readonly JobFate[]> {
  const { manifest, plan } = planned;
  const isAsked = store !== null && servesAnswers(manifest);
  for await (const jobs of inTurns(plan.jobs, JOBS_PER_PAGE)) {
    yield isAsked ? await knownFates(store, planned, jobs, pool) : jobs.map((job) => fateOf(job, NOTHING));
  }
}

async function knownFates(
  store: Store,
  planned: Planned,
  jobs: readonly NewJob[],
  pool: Pick<Pool, 'merge' | 'size'>,
): Promise<readonly JobFate[]> {
  const steps = await knownOf(store, planned.manifest, keysOf(jobs));
  const fates = jobs.map((job) => fateOf(job, steps));
  const reduces = await reducesOf(store, planned, fates.filter(isReduceOnly), pool);
  if (reduces.size === 0) return fates;
  const followed = await knownOf(
    store,
    planned.manifest,
    [...reduces.values()].flatMap((reduce) => reduce?.key ?? []),
  );
  return fates.map((each) => {
    const reduce = reduces.get(each.job.jobId);
    return reduce === undefined ? each : reducedFate(each, reduce, followed);
  });
}

async function knownOf(store: Store, manifest: ResolvedManifest, keys: Iterable<string>): Promise<Known> {
  const { cacheTtlMs } = settingsOf(manifest);
  const found = { good: new Set<string>(), bad: new Set<string>() };
  for (const page of pagesOf(keys)) {
    for (const key of await store.cachedKeys(page, null, cacheTtlMs)) found.good.add(key);
    for (const key of await store.knownBadKeys(page)) found.bad.add(key);
  }
  return found;
}

function* keysOf(jobs: readonly NewJob[]): Generator<string> {
  for (const { steps } of jobs) for (const { key } of steps) yield key;
}

/** Keys that are looked up together: those of many jobs in parts would be a statement of megabytes. */
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
