import { stepName } from '../../artifacts/job-record.ts';
import { UserError } from '../../domain/errors.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { nearest } from '../../domain/nearest.ts';
import type { JobRecord, RunRow, StepRow } from '../../store/rows.ts';
import { EXIT } from '../exit-codes.ts';
import { shortJobId } from '../jobs/job-names.ts';

/** A step that asks a model, under the name that its folder has too. */
export type NamedStep = { readonly name: string; readonly step: StepRow };

/** The steps of a job that have calls, in the order of their making: `answer-1`; of a job with parts `chunk-1`, `chunk-2`, `reduce-1`. */
export function callSteps({ steps }: Pick<JobRecord, 'steps'>): readonly NamedStep[] {
  return steps.filter(({ kind }) => kind !== 'finish').map((step) => ({ name: stepName(steps, step.stepId), step }));
}

/** Whether the document was asked in parts. */
export function hasParts({ steps }: Pick<JobRecord, 'steps'>): boolean {
  return steps.some(({ kind }) => kind === 'chunk');
}

/** The step that a person names; a kind alone is its first. Throws `UserError` with the names that there are. */
export function findStep(run: RunRow, record: JobRecord, text: string): NamedStep {
  const named = callSteps(record);
  const found = named.filter(({ name }) => name === text || name === `${text}-1`).at(-1);
  if (found !== undefined) return found;
  const names = [...new Set(named.map(({ name }) => name))];
  const id = shortJobId(record.job.jobId);
  const closest = nearest(text, names, 1)[0] ?? names[0];
  throw new UserError({
    code: 'E32',
    exitCode: EXIT.usage,
    message: `job ${id} has no step "${oneLine(text)}"; it has ${listed(names)}`,
    next: [`aieval show ${id} --run ${run.runId} --prompt${closest === undefined ? '' : ` --step ${closest}`}`],
  });
}

/** The step whose prompt and answer stand for the job's: that of the call that gave its answer, else the `reduce`, else the first. */
export function speakingStep(record: JobRecord): NamedStep | undefined {
  const named = callSteps(record);
  const token = record.job.result?.callToken ?? null;
  const answering = token === null ? undefined : named.find(({ step }) => step.callToken === token);
  return answering ?? named.findLast(({ step }) => step.kind === 'reduce') ?? named[0];
}

const NAMED = 6;

/** `chunk-1, chunk-2 … chunk-12, reduce-1`: the first and the last of many. */
export function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none yet';
  if (names.length <= NAMED) return names.join(', ');
  return `${names.slice(0, NAMED / 2).join(', ')} … ${names.slice(-NAMED / 2).join(', ')}`;
}
