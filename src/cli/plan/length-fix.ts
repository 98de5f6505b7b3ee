import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { mentions } from '../../domain/manifest/template.ts';
import { isOfReduce } from '../../engine/length-limit.ts';

type Lengths = Pick<ResolvedManifest, 'models' | 'providers' | 'tasks'>;

/** A job that was too long: the task that asked it, and how it was told. */
export type TooLong = { readonly task: string; readonly message: string };

/**
 * What may be changed in the manifest so that what was too long for this model is asked. Where it is the answers to parts, their model
 * is left as it is: that would ask all of them anew. A task without `chunk` may get one.
 */
export function lengthFix(manifest: Lengths, modelId: string, jobs: readonly TooLong[]): string {
  const { tasks } = manifest;
  const named = (which: readonly TooLong[]) => [...new Set(which.map(({ task }) => task))];
  const reduced = named(jobs.filter(({ message }) => isOfReduce(message)));
  const others = named(jobs.filter(({ message }) => !isOfReduce(message)));
  const uncut = others.filter((task) => (tasks[task]?.chunk ?? null) === null).map((task) => `tasks.${task}.chunk`);
  const limits = limitsOf(manifest, modelId);
  const raise = limits.length === 0 ? [] : [`raise ${limits.join(' or ')}`];
  const shorter =
    others.length === 0 ? [] : [...(limits.length === 0 ? ['shorten the document'] : []), `lower models.${modelId}.params.maxOutputTokens`];
  const whole = [...raise, ...shorter, ...reduced.map((task) => reduceFix(manifest, task))].join(' or ');
  return uncut.length === 0 ? whole : `${whole}, or set ${uncut.join(' and ')} so that it is asked in parts`;
}

/** How the call that makes one answer of the parts' answers gets shorter, while these stay known. */
export function reduceFix({ tasks }: Pick<ResolvedManifest, 'tasks'>, task: string): string {
  const tells = mentions(tasks[task]?.merge?.reduce ?? '', 'answers');
  return `shorten tasks.${task}.merge.reduce${tells ? ' ({{merged}} in the place of {{answers}})' : ''}`;
}

function limitsOf({ models, providers }: Lengths, modelId: string): string[] {
  const model = models[modelId];
  const provider = model === undefined ? undefined : providers[model.provider];
  return [
    ...(model === undefined || model.contextTokens === null ? [] : [`models.${modelId}.contextTokens`]),
    ...(provider === undefined || provider.tokensPerMinute === null ? [] : [`providers.${provider.id}.limits.tokensPerMinute`]),
  ];
}
