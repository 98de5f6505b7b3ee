import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { isOfReduce } from '../../engine/length-limit.ts';
import { likelyTooLong } from '../../engine/plan-cost.ts';
import type { NewJob } from '../../store/plan-rows.ts';
import type { OutputMean } from '../../store/rows.ts';
import { rowLabel } from '../jobs/job-names.ts';
import { counted } from '../terminal/format.ts';
import { lengthFix, reduceFix, type TooLong } from './length-fix.ts';

/** Jobs of which one thing is said, with the first of them. */
type Group = { readonly task: string; readonly model: string; readonly example: string; jobs: number };

/** What `plan` says of jobs that are too long to be asked, once for each model, and what may be changed so that they are asked. */
export class TooLongJobs {
  readonly #manifest: ResolvedManifest;
  /** By model; of each, how its tasks were told, those alike once. */
  readonly #groups = new Map<string, Group & { readonly told: Map<string, TooLong> }>();

  constructor(manifest: ResolvedManifest) {
    this.#manifest = manifest;
  }

  add(job: NewJob): void {
    if (job.failure?.reason !== 'input_too_long') return;
    const { task, model } = job;
    const { message } = job.failure;
    const group = this.#groups.get(model) ?? { ...begun(this.#manifest, job, message), told: new Map<string, TooLong>() };
    this.#groups.set(model, group);
    group.jobs += 1;
    const alike = `${isOfReduce(message)} ${task}`;
    if (!group.told.has(alike)) group.told.set(alike, { task, message });
  }

  warnings(): readonly string[] {
    return [...this.#groups.values()].map(
      ({ jobs, example }) => `${counted(jobs, 'job')} cannot be asked (input_too_long), e.g. ${example}`,
    );
  }

  fixes(): readonly string[] {
    return [...this.#groups.values()].map(({ model, told }) => `in the manifest, ${lengthFix(this.#manifest, model, [...told.values()])}`);
  }
}

/** What `plan` says of jobs whose parts can be asked, but whose `reduce` will likely be too long; once for each task and model. */
export class LongReduces {
  readonly #manifest: ResolvedManifest;
  readonly #means: readonly OutputMean[];
  readonly #groups = new Map<string, Group>();

  constructor(manifest: ResolvedManifest, means: readonly OutputMean[]) {
    this.#manifest = manifest;
    this.#means = means;
  }

  /** `later` are the calls that will follow. */
  add(job: NewJob): void {
    if (job.later.length === 0) return;
    const error = likelyTooLong(this.#manifest, job, this.#means);
    if (error === null) return;
    const name = `${job.task} ${job.model}`;
    const group = this.#groups.get(name) ?? begun(this.#manifest, job, error.message);
    this.#groups.set(name, group);
    group.jobs += 1;
  }

  warnings(): readonly string[] {
    return [...this.#groups.values()].map(({ jobs, example, task }) => {
      const fix = reduceFix(this.#manifest, task);
      return `the answers to the parts of ${counted(jobs, 'job')} may be too long for merge.reduce, e.g. ${example}; ${fix}`;
    });
  }
}

function begun(manifest: ResolvedManifest, job: NewJob, message: string): Group {
  return { task: job.task, model: job.model, example: `${rowLabel({ manifest }, job)}: ${message}`, jobs: 0 };
}
