import type { ResolvedManifest, ResolvedModel } from '../domain/manifest/resolved.ts';
import { ASSUMED_OUTPUT_TOKENS } from '../domain/money.ts';
import type { JobError } from '../domain/result.ts';

/** What bounds the prompts of a model: they can never be answered when they are longer. */
type Limit = { readonly tokens: number; readonly withAnswer: boolean; readonly name: string };

/** Of a model's longest answer, as far as it is known. */
export function answerTokens({ params }: ResolvedModel): number {
  return params.maxOutputTokens ?? ASSUMED_OUTPUT_TOKENS;
}

/** For want of a measured one. */
export function halfAnswer(model: ResolvedModel): number {
  return Math.ceil(answerTokens(model) / 2);
}

/** The model's context, and all that its provider takes in a minute. */
function limitsOf({ providers }: ResolvedManifest, model: ResolvedModel): Limit[] {
  const { contextTokens } = model;
  const provider = providers[model.provider];
  const [perMinute, accounting] = [provider?.tokensPerMinute ?? null, provider?.tokenAccounting];
  return [
    ...(contextTokens === null
      ? []
      : [{ tokens: contextTokens, withAnswer: true, name: `contextTokens = ${contextTokens} of model "${model.id}"` }]),
    ...(perMinute === null
      ? []
      : [
          {
            tokens: perMinute,
            withAnswer: accounting === 'reserved',
            name: `tokensPerMinute = ${perMinute} of provider "${model.provider}"`,
          },
        ]),
  ];
}

/** The most tokens that a prompt may have for the model to answer it, and what says so; `null`: nothing does. */
export function promptLimit(manifest: ResolvedManifest, model: ResolvedModel): { readonly tokens: number; readonly name: string } | null {
  const limits = limitsOf(manifest, model).map(({ tokens, withAnswer, name }) => ({
    tokens: withAnswer ? tokens - answerTokens(model) : tokens,
    name,
  }));
  return limits.reduce<{ tokens: number; name: string } | null>(
    (least, limit) => (least !== null && least.tokens <= limit.tokens ? least : limit),
    null,
  );
}

/** Why a prompt of so many tokens can never be answered by the model; `null` when it can. */
export function lengthError(manifest: ResolvedManifest, model: ResolvedModel, inputTokens: number): JobError | null {
  for (const { tokens, withAnswer, name } of limitsOf(manifest, model)) {
    const needed = inputTokens + (withAnswer ? answerTokens(model) : 0);
    if (needed > tokens) return tooLong(`about ${needed} tokens${withAnswer ? ' with the answer' : ''}, more than ${name}`);
  }
  return null;
}

/** Such an error in these words. */
export function tooLong(message: string): JobError {
  return { reason: 'input_too_long', message };
}

const OF_REDUCE = 'the answers to the parts are too long for merge.reduce';

/** That what is too long is the prompt of a reduce. */
export function reduceTooLong({ message }: JobError): JobError {
  return tooLong(`${OF_REDUCE}: ${message}`);
}

/** Whether `input_too_long` was said of a reduce. */
export function isOfReduce(message: string): boolean {
  return message.startsWith(OF_REDUCE);
}
