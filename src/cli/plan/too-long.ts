import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { likelyTooLong } from '../../engine/plan-cost.ts';
import type { NewJob } from '../../store/plan-rows.ts';
import type { OutputMean } from '../../store/rows.ts';
import { rowLabel } from '../jobs/job-names.ts';
import { counted } from '../terminal/format.ts';
import { lengthFix, reduceFix } from './length-fix.ts';
import type { Prepared } from './prepare.ts';

/** What `plan` says of jobs that are too long to be asked, once for each model, and what may be changed so that they are asked. */
export function tooLongJobs({ manifest, plan }: Pick<Prepared, 'manifest' | 'plan'>): {
  readonly warnings: readonly string[];
  readonly fixes: readonly string[];
} {
  const jobs = plan.jobs.flatMap((job) =>
    job.failure?.reason === 'input_too_long' ? [{ job, task: job.task, model: job.model, message: job.failure.message }] : [],
  );
  const groups = byModel(jobs);
  const warnings = groups.map(([first, ...others]) => {
    const example = `${rowLabel({ manifest }, first.job)}: ${first.message}`;
    return `${counted(1 + others.length, 'job')} cannot be asked (input_too_long), e.g. ${example}`;
  });
  return { warnings, fixes: groups.map((group) => `in the manifest, ${lengthFix(manifest, group[0].model, group)}`) };
}

/** What `plan` says of jobs whose parts can be asked, but whose `reduce` will likely be too long; once for each task and model. */
export function longReduces(manifest: ResolvedManifest, jobs: readonly NewJob[], means: readonly OutputMean[]): readonly string[] {
  const long = jobs.flatMap((job) => {
    const error = likelyTooLong(manifest, job, means);
    return error === null ? [] : [{ job, task: job.task, model: `${job.task} ${job.model}`, message: error.message }];
  });
  return byModel(long).map(([first, ...others]) => {
    const example = `${rowLabel({ manifest }, first.job)}: ${first.message}`;
    const fix = reduceFix(manifest, first.task);
    return `the answers to the parts of ${counted(1 + others.length, 'job')} may be too long for merge.reduce, e.g. ${example}; ${fix}`;
  });
}

type Group<Item> = readonly [first: Item, ...others: Item[]];

function byModel<Item extends { readonly model: string }>(items: readonly Item[]): Group<Item>[] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(item.model);
    if (group === undefined) groups.set(item.model, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
