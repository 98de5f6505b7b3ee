import type { Completion } from '../domain/completion.ts';
import type { ResolvedProvider } from '../domain/manifest/resolved.ts';
import type { Usage } from '../domain/money.ts';
import type { Failure } from '../domain/reason.ts';

/** What was sent, and to what. */
export type SentInput = {
  /** Of the prompt, as our tokenizer counts. */
  readonly inputTokens: number;
  /** Of all messages. */
  readonly characters: number;
  readonly providerType: ResolvedProvider['type'];
};

/** The best tokenizers need a quarter less than ours. */
const LEAST_SHARE = 0.7;
/** Of short prompts a share says nothing. */
const SHORT_BY = 200;
/** Servers without a tokenizer of their own count like this. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * The failure of an answer whose prompt the server cut without a word, as local servers do with what is longer than their context:
 * it counted far fewer tokens than the prompt has by any measure. `null` when it saw the whole prompt, or does not say.
 */
export function inputFailure({ usage, requestId }: Pick<Completion, 'usage' | 'requestId'>, sent: SentInput): Failure | null {
  if (sent.providerType !== 'openai' || usage === null) return null;
  const counted = inputUnits(usage);
  const expected = Math.floor(Math.min(sent.inputTokens, sent.characters / CHARACTERS_PER_TOKEN));
  // Zero is what some report of a prompt that they had in their cache.
  if (counted === 0 || counted >= expected * LEAST_SHARE || counted >= expected - SHORT_BY) return null;
  const message =
    `the server read ${counted} tokens of a prompt of about ${expected}: it cut the rest without a word; ` +
    'give it a larger context (Ollama: OLLAMA_CONTEXT_LENGTH) and state it as contextTokens of the model';
  return { class: 'permanent', reason: 'input_truncated', message, ...(requestId === null ? {} : { requestId }) };
}

function inputUnits({ uncachedInput, cacheRead, cacheWrite }: Usage): number {
  return uncachedInput + cacheRead + cacheWrite;
}
