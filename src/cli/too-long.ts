import { rowLabel } from './job-names.ts';
import { lengthFix } from './length-fix.ts';
import type { Prepared } from './prepare.ts';
import { counted } from './terminal/format.ts';

/** What `plan` says of jobs that are too long to be asked, once for each model, and what may be changed so that they are asked. */
export function tooLongJobs({ manifest, plan }: Pick<Prepared, 'manifest' | 'plan'>): {
  readonly warnings: readonly string[];
  readonly fixes: readonly string[];
} {
  const jobs = plan.jobs.filter(({ failure }) => failure?.reason === 'input_too_long');
  const models = [...new Set(jobs.map(({ model }) => model))];
  const warnings = models.flatMap((model) => {
    const own = jobs.filter((job) => job.model === model);
    return own.slice(0, 1).map((job) => {
      const example = `${rowLabel({ manifest }, job)}: ${job.failure?.message ?? ''}`;
      return `${counted(own.length, 'job')} cannot be asked (input_too_long), e.g. ${example}`;
    });
  });
  return { warnings, fixes: models.map((model) => `${lengthFix(manifest, model)} in the manifest`) };
}
