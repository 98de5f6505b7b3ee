import type { Json } from '../domain/canonical-json.ts';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { FollowingStep, NewJob } from '../store/plan-rows.ts';
import { type Merged, type Pool, PoolTimeout } from './pool.ts';
import type { PromptDocument } from './prompt.ts';
import { reduceFailure, reduceStep } from './reduce-step.ts';

export type KnownParts = {
  readonly manifest: ResolvedManifest;
  readonly job: NewJob;
  readonly document: PromptDocument;
  /** Of all its steps, by key. */
  readonly answers: ReadonlyMap<string, Json>;
  readonly pool: Pick<Pool, 'merge'>;
};

/** The call that follows once all parts of a job are answered, as its finish will ask it; `null`: it will end without one. */
export async function knownReduce({ manifest, job, document, answers, pool }: KnownParts): Promise<FollowingStep | null> {
  const task = manifest.tasks[job.task];
  const model = manifest.models[job.model];
  if (task === undefined || task.merge === null || model === undefined) throw new Error(`job ${job.jobId} is not of this manifest`);
  const parts = job.steps.flatMap(({ key, input }) => {
    const answer = answers.get(key);
    return input?.kind === 'part' && answer !== undefined ? [{ part: input.part, answer }] : [];
  });
  const { content } = document;
  const merged = await mergedOrLate(
    pool.merge({ document: content, parts, rule: task.merge, checks: task.checks, reduced: null, schema: task.output.schema }),
  );
  if (merged === null || merged.final !== null) return null;
  const step = reduceStep({ manifest, task, model, repeat: job.repeat, document, merged: merged.merged.answer, answers: parts });
  return reduceFailure({ manifest, model }, step) === null ? step : null;
}

/** What takes too long now will do so then. */
async function mergedOrLate(merging: Promise<Merged>): Promise<Merged | null> {
  try {
    return await merging;
  } catch (error) {
    if (error instanceof PoolTimeout) return null;
    throw error;
  }
}
