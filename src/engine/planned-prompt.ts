import { estimateCount, estimateTokens, type TokenCount } from '../documents/tokens.ts';
import { sha256Hex } from '../domain/canonical-json.ts';
import type { ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import type { Part } from '../domain/part.ts';
import {
  askedPart,
  type FormTask,
  formInstruction,
  joined,
  type PromptDocument,
  type PromptPiece,
  type RenderedPrompt,
  renderPieces,
  renderSystem,
  schemaText,
} from './prompt.ts';

/** A prompt before it is asked: how long it is, and what of it others share. */
export type PlannedPrompt = RenderedPrompt & {
  /** Of both texts, as our tokenizer counts. */
  readonly inputTokens: number;
  /** More than any server makes of them, its own additions included. */
  readonly maxInputTokens: number;
  /** Of the beginning that other prompts share; `null` when none does, or it is too short for a provider to keep. */
  readonly beginningSha256: string | null;
};

/** A document and the tokens counted of its text. */
export type CountedDocument = PromptDocument & { readonly tokens: TokenCount };

/** One of its parts and the tokens of that part's text. */
export type CountedPart = { readonly part: Part; readonly tokens: TokenCount };

/** The two lines around a document. */
const FENCE_TOKENS = 28;

/** Chat templates put 10 to 80 tokens around the messages. */
const SERVER_TOKENS = 100;

/**
 * Fills in a task's texts and counts them; the text of the document, or of the `part` of it that is asked, by far the longest, was
 * counted before.
 */
export function planPrompt(task: ResolvedTask, document: CountedDocument, asked: CountedPart | null = null): PlannedPrompt {
  const system = renderSystem(task, document);
  const part = askedPart(task, document, asked?.part ?? null);
  const pieces = renderPieces(task, document, part);
  const prompt = joined(pieces);
  const documents = pieces.filter(({ isDocument }) => isDocument).length;
  const around = countAround(system, pieces);
  const { tokens, maxTokens } = asked?.tokens ?? document.tokens;
  const intro = estimateCount(part?.intro ?? '');
  const inputTokens = documents * (tokens + intro.tokens + FENCE_TOKENS) + around.tokens;
  const beginning = sharedBeginning(pieces, inputTokens) ?? repeated(task, prompt, inputTokens);
  return {
    system,
    prompt,
    inputTokens,
    maxInputTokens: documents * (maxTokens + intro.maxTokens + FENCE_TOKENS) + around.maxTokens + addedTokens(task),
    beginningSha256: beginning === null ? null : sha256Hex(beginning),
  };
}

/** How often a prompt holds the document, and the tokens of all that stands around its text. */
export function promptFrame(task: ResolvedTask, document: PromptDocument): { readonly documents: number; readonly tokens: number } {
  const pieces = renderPieces(task, document, null);
  const documents = pieces.filter(({ isDocument }) => isDocument).length;
  return { documents, tokens: countAround(renderSystem(task, document), pieces).tokens + documents * FENCE_TOKENS };
}

function countAround(system: string | null, pieces: readonly PromptPiece[]): TokenCount {
  return estimateCount(`${system ?? ''}\n${joined(pieces.filter(({ isDocument }) => !isDocument))}`);
}

/** Tokens of texts that are asked as they are. */
export function countTexts(
  { system, prompt }: RenderedPrompt,
  form: FormTask,
  structuredOutput: ResolvedModel['structuredOutput'],
): Pick<PlannedPrompt, 'inputTokens' | 'maxInputTokens'> {
  const { tokens, maxTokens } = estimateCount(`${system ?? ''}\n${prompt}`);
  return { inputTokens: tokens + formTokens(form, structuredOutput), maxInputTokens: maxTokens + addedTokens(form) };
}

/** What may come on top at worst: the schema told in words, and what a server adds. */
function addedTokens({ output }: Pick<FormTask, 'output'>): number {
  return (output.schema === null ? 0 : estimateCount(schemaText(output.schema)).maxTokens) + SERVER_TOKENS;
}

/** Tokens of the words that ask for the answer's form, where they are sure to be sent. */
export function formTokens(task: FormTask, structuredOutput: ResolvedModel['structuredOutput']): number {
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
