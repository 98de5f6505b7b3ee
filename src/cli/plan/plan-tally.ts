import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { DigestSet } from '../../engine/digest-set.ts';
import { type CallSum, CallSums, callsOf } from '../../engine/plan-cost.ts';
import type { LaterCall, NewStep } from '../../store/plan-rows.ts';
import type { OutputMean } from '../../store/rows.ts';
import type { JobFate } from './job-fates.ts';
import { callsInJob } from './plan-list.ts';
import { ResultTally } from './result-tally.ts';
import { LongReduces, TooLongJobs } from './too-long.ts';

/** How many jobs have which fate. */
export type FateCounts = {
  readonly total: number;
  /** Those that can be asked. */
  readonly jobs: number;
  readonly cached: number;
  readonly failed: number;
  readonly knownBad: number;
  readonly toRun: number;
};

/** What there is to say of the jobs of a plan, gathered while they pass: they themselves are not kept. */
export class PlanTally {
  readonly tooLong: TooLongJobs;
  readonly longReduces: LongReduces;
  readonly results = new ResultTally();
  /** Models that at least one job asks. */
  readonly #asked = new Set<string>();
  readonly #manifest: ResolvedManifest;
  readonly #sums: CallSums;
  readonly #all = new FateTally();
  readonly #byModel = new Map<string, FateTally>();
  /** Were nothing known yet. */
  readonly #calls = new DistinctCalls();
  readonly #callsByModel = new Map<string, DistinctCalls>();
  /** Places in the plan of the jobs to run. */
  readonly #toRun: number[] = [];
  #isInParts = false;

  /** `means` are the lengths of earlier answers. */
  constructor(manifest: ResolvedManifest, means: readonly OutputMean[]) {
    this.#manifest = manifest;
    this.#sums = new CallSums(manifest, means);
    this.tooLong = new TooLongJobs(manifest);
    this.longReduces = new LongReduces(manifest, means);
  }

  /** Takes each job once, in plan order. */
  add(each: JobFate): void {
    const { job, fate } = each;
    if (fate === 'to_run') this.#addAsked(each);
    this.#isInParts ||= callsInJob(job) > 1;
    this.#calls.add(job.steps, job.later);
    this.tooLong.add(job);
    this.results.add(each);
    this.#all.add(fate);
    entryOf(this.#byModel, job.model, () => new FateTally()).add(fate);
  }

  #addAsked({ job, ask, later }: JobFate): void {
    const asked = { ...job, steps: ask, later };
    this.#toRun.push(this.#all.total);
    this.#asked.add(job.model);
    this.#sums.add(asked);
    entryOf(this.#callsByModel, job.model, () => new DistinctCalls()).add(ask, later);
    this.longReduces.add(asked);
  }

  /** Of one model, or of all. */
  counts(model: string | null = null): FateCounts {
    return model === null ? this.#all.counts() : (this.#byModel.get(model) ?? new FateTally()).counts();
  }

  /** Calls that the jobs take which can be asked, were nothing known yet. */
  calls(): number {
    return this.#calls.count;
  }

  /** Calls that will be made, for one model or for all. */
  callsToRun(model: string | null = null): number {
    return model === null ? callsOf(this.sums()) : (this.#callsByModel.get(model)?.count ?? 0);
  }

  /** Of the calls that will be made. */
  sums(): readonly CallSum[] {
    return this.#sums.sums();
  }

  /** Those that at least one job asks: a run that is served from the store alone needs no key and no server. */
  providers(): ReadonlySet<string> {
    return new Set([...this.#asked].flatMap((model) => this.#manifest.models[model]?.provider ?? []));
  }

  /** Whether calls are not the same as jobs. */
  isInParts(): boolean {
    return this.#isInParts;
  }

  /** How many of the first jobs hold this share of those to ask, the known ones between them included. */
  firstJobs(share: number): number {
    const count = Math.floor(share * this.#toRun.length);
    return count < 1 ? 0 : (this.#toRun[count] ?? this.#all.total);
  }
}

/** All jobs of a plan. */
export async function tallied(
  manifest: ResolvedManifest,
  means: readonly OutputMean[],
  fates: AsyncIterable<readonly JobFate[]>,
): Promise<PlanTally> {
  const tally = new PlanTally(manifest, means);
  for await (const page of fates) for (const fate of page) tally.add(fate);
  return tally;
}

class FateTally {
  readonly #of: Record<JobFate['fate'], number> = { cached: 0, known_bad: 0, failed: 0, to_run: 0 };

  total = 0;

  add(fate: JobFate['fate']): void {
    this.#of[fate] += 1;
    this.total += 1;
  }

  counts(): FateCounts {
    const { cached, known_bad: knownBad, failed, to_run: toRun } = this.#of;
    return { total: this.total, jobs: this.total - failed, cached, failed, knownBad, toRun };
  }
}

/** What several jobs ask alike is one call; what follows from answers has no key yet: taken for a call of its own. */
class DistinctCalls {
  readonly #keys = new DigestSet();
  count = 0;

  add(steps: readonly Pick<NewStep, 'key'>[], later: readonly LaterCall[]): void {
    for (const { key } of steps) this.count += Number(this.#keys.add(key));
    this.count += later.length;
  }
}

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
