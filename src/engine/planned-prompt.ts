import { estimateCount, estimateTokens, type TokenCount } from '../documents/tokens.ts';
import { sha256Hex } from '../domain/canonical-json.ts';
import type { ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import { formInstruction, joined, type PromptDocument, type PromptPiece, renderPieces, renderSystem, schemaText } from './prompt.ts';

/** A prompt before it is asked: how long it is, and what of it others share. */
export type PlannedPrompt = {
  readonly system: string | null;
  readonly prompt: string;
  /** Of both texts, as our tokenizer counts. */
  readonly inputTokens: number;
  /** More than any server makes of them, its own additions included. */
  readonly maxInputTokens: number;
  /** Of the beginning that other prompts share; `null` when none does, or it is too short for a provider to keep. */
  readonly beginningSha256: string | null;
};

/** The two lines around a document. */
const FENCE_TOKENS = 28;

/** Chat templates put 10 to 80 tokens around the messages. */
const SERVER_TOKENS = 100;

/** Fills in a task's texts and counts them; the document's text, by far the longest, was counted before. */
export function planPrompt(task: ResolvedTask, document: PromptDocument & { readonly tokens: TokenCount }): PlannedPrompt {
  const system = renderSystem(task, document);
  const pieces = renderPieces(task, document);
  const prompt = joined(pieces);
  const documents = pieces.filter(({ isDocument }) => isDocument).length;
  const around = estimateCount(`${system ?? ''}\n${joined(pieces.filter(({ isDocument }) => !isDocument))}`);
  const { tokens, maxTokens } = document.tokens;
  const inputTokens = documents * (tokens + FENCE_TOKENS) + around.tokens;
  const schema = task.output.schema === null ? 0 : estimateCount(schemaText(task.output.schema)).maxTokens;
  const beginning = sharedBeginning(pieces, inputTokens) ?? repeated(task, prompt, inputTokens);
  return {
    system,
    prompt,
    inputTokens,
    maxInputTokens: documents * (maxTokens + FENCE_TOKENS) + around.maxTokens + schema + SERVER_TOKENS,
    beginningSha256: beginning === null ? null : sha256Hex(beginning),
  };
}

/** Tokens of the words that ask for the answer's form, where they are sure to be sent. */
export function formTokens(task: ResolvedTask, structuredOutput: ResolvedModel['structuredOutput']): number {
  const mode = structuredOutput === 'auto' ? 'json_schema' : structuredOutput;
  return estimateTokens(formInstruction(task, mode).join('\n\n'));
}

/** Providers keep no shorter beginning. */
const LEAST_KEPT_TOKENS = 1024;

/** Up to the end of the last document, where the question follows it: other tasks' questions follow the same beginning. */
function sharedBeginning(pieces: readonly PromptPiece[], inputTokens: number): string | null {
  const first = pieces.findIndex(({ isDocument }) => isDocument);
  const last = pieces.findLastIndex(({ isDocument }) => isDocument);
  const [before, after] = [joined(pieces.slice(0, Math.max(0, first))), joined(pieces.slice(last + 1))];
  if (first === -1 || before.trim().length > after.trim().length) return null;
  return inputTokens - estimateTokens(after) < LEAST_KEPT_TOKENS ? null : joined(pieces.slice(0, last + 1));
}

/** The repeats of a question share all of it. */
function repeated({ repeats }: ResolvedTask, prompt: string, inputTokens: number): string | null {
  return repeats > 1 && inputTokens >= LEAST_KEPT_TOKENS ? prompt : null;
}
