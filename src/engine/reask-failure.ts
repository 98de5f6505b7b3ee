import { estimateTokens } from '../documents/tokens.ts';
import type { ResolvedManifest, ResolvedModel } from '../domain/manifest/resolved.ts';
import type { Failure } from '../domain/reason.ts';
import type { ReaskInput } from '../store/work.ts';
import { lengthError } from './length-limit.ts';
import { reaskMessages } from './prompt.ts';

export type PlannedReask = {
  readonly manifest: ResolvedManifest;
  readonly model: ResolvedModel;
  /** Of the prompt that was answered, as our tokenizer counts. */
  readonly inputTokens: number;
  readonly reask: ReaskInput;
};

/**
 * The failure of an invalid answer that cannot be sent back to be mended, because the model could never answer what the prompt then is:
 * such a call costs a server's refusal, or the budget of a whole run. `null`: it can.
 */
export function reaskFailure(invalid: Failure, { manifest, model, inputTokens, reask }: PlannedReask): Failure | null {
  const added = reaskMessages(reask).reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const error = lengthError(manifest, model, inputTokens + added);
  if (error === null) return null;
  return { ...invalid, message: `too long to be sent back to be mended (${error.message}): ${invalid.message}` };
}
