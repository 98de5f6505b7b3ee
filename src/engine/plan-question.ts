import type { ChunkRule, ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import { LEAST_PART_TOKENS, mostOverlap } from '../domain/manifest/schema-parts.ts';
import { parseTemplate } from '../domain/manifest/template.ts';
import type { Part } from '../domain/part.ts';
import type { JobError } from '../domain/result.ts';
import type { LaterCall } from '../store/plan-rows.ts';
import type { CutDocument } from './cut-document.ts';
import { answerTokens, halfAnswer, lengthError, promptLimit, reduceTooLong, tooLong } from './length-limit.ts';
import { type CountedDocument, countTexts, formTokens, type PlannedPrompt, planPrompt, promptFrame } from './planned-prompt.ts';
import { reduceForm } from './prompt.ts';
import { renderReduce } from './reduce-step.ts';

/** One prompt of a question; `part`: of the document, `null`: it is asked whole. */
export type QuestionPrompt = { readonly planned: PlannedPrompt; readonly part: Part | null };

/** What is asked of a model about a document: one prompt, or one for each part; or why it cannot be asked. */
export type Question =
  | {
      readonly kind: 'asked';
      readonly prompts: readonly QuestionPrompt[];
      readonly later: readonly LaterCall[];
      readonly lowered: LoweredPart | null;
      /** It is asked in parts of at most so many tokens for the one reason that nobody said how much the model takes; `null`: it is not. */
      readonly assumedPartTokens: number | null;
    }
  | { readonly kind: 'failed'; readonly failure: JobError };

/** That parts are shorter than the `chunk.maxTokens` that the task states, because no longer ones fit the model. */
export type LoweredPart = { readonly stated: number; readonly tokens: number };

export type QuestionInput = {
  readonly manifest: ResolvedManifest;
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly document: CountedDocument;
  /** The prompt with the whole document. */
  readonly whole: PlannedPrompt;
  readonly cut: CutDocument;
};

/** Of a part where neither the task nor the model says how long it may be. */
const DEFAULT_PART_TOKENS = 16_000;

/**
 * Whole where it fits, since a model that has read all of a document answers best; else in parts, if the task says how. Never cut off:
 * what can be asked in no way is a typed error before any call.
 */
export function planQuestion(input: QuestionInput): Question {
  const { manifest, task, model, document, whole } = input;
  const error = lengthError(manifest, model, whole.inputTokens + formTokens(task, model.structuredOutput));
  const { chunk } = task;
  if (chunk !== null && (error !== null || isCut(chunk, model, document))) return inParts(input, chunk, isAssumed(chunk, model, error));
  if (error !== null) return failed(error);
  return { kind: 'asked', prompts: [{ planned: whole, part: null }], later: [], lowered: null, assumedPartTokens: null };
}

/** Neither a limit nor the task makes it parts of that length. */
function isAssumed({ maxTokens }: ChunkRule, { contextTokens }: ResolvedModel, error: JobError | null): boolean {
  return error === null && contextTokens === null && maxTokens === null;
}

/** Of a document that would fit: whether it is cut all the same. Where the model's context is unknown, only short ones are taken to fit. */
function isCut({ when, maxTokens }: ChunkRule, { contextTokens }: ResolvedModel, { tokens }: CountedDocument): boolean {
  if (when === 'always' && maxTokens !== null) return tokens.tokens > maxTokens;
  return contextTokens === null && tokens.tokens > (maxTokens ?? DEFAULT_PART_TOKENS);
}

/** Estimates are off by a tenth. */
const HEAD_ROOM = 0.9;
/** Lines above parts take room of their own, which is only known when they are cut. */
const MOST_CUTS = 4;

function inParts(input: QuestionInput, chunk: ChunkRule, isAssumed: boolean): Question {
  const { manifest, task, model, document, cut } = input;
  const limit = promptLimit(manifest, model);
  const frame = promptFrame(task, document);
  const form = formTokens(task, model.structuredOutput);
  const room = limit === null ? Number.POSITIVE_INFINITY : Math.floor(((limit.tokens - frame.tokens - form) * HEAD_ROOM) / frame.documents);
  let maxTokens = Math.min(chunk.maxTokens ?? (model.contextTokens === null ? DEFAULT_PART_TOKENS : room), rounded(room));
  for (let cuts = 0; cuts < MOST_CUTS && maxTokens >= LEAST_PART_TOKENS; cuts += 1) {
    const parts = cut({ by: chunk.by, maxTokens, overlap: Math.min(chunk.overlap, mostOverlap(maxTokens)) });
    const prompts = parts.map((part) => ({ planned: planPrompt(task, document, part), part: part.part }));
    const longest = prompts.reduce((most, { planned }) => Math.max(most, planned.inputTokens), 0) + form;
    if (limit === null || longest <= limit.tokens)
      return inPrompts(input, prompts, { lowered: loweredTo(chunk, maxTokens), assumedPartTokens: isAssumed ? maxTokens : null });
    maxTokens -= Math.ceil((longest - limit.tokens) / frame.documents);
  }
  return failed(noRoom(Math.max(0, maxTokens), limit?.name ?? ''));
}

function loweredTo({ maxTokens: stated }: ChunkRule, tokens: number): LoweredPart | null {
  return stated === null || tokens >= stated ? null : { stated, tokens };
}

const STEPS = 16;

/** Down to one of few sizes: prompts of about one length cut a document alike, and what they begin with is kept by providers. */
function rounded(tokens: number): number {
  if (tokens < LEAST_PART_TOKENS || !Number.isFinite(tokens)) return tokens;
  const step = 2 ** Math.floor(Math.log2(tokens / STEPS));
  return Math.floor(tokens / step) * step;
}

function noRoom(tokens: number, limitName: string): JobError {
  const why = 'prompt and answer leave room for about';
  return tooLong(`${why} ${tokens} tokens of a part, fewer than ${LEAST_PART_TOKENS}, within ${limitName}`);
}

function inPrompts(
  input: QuestionInput,
  prompts: readonly QuestionPrompt[],
  length: Pick<Extract<Question, { kind: 'asked' }>, 'lowered' | 'assumedPartTokens'>,
): Question {
  const { manifest, task, model } = input;
  if ((task.merge?.reduce ?? null) === null) return { kind: 'asked', prompts, later: [], ...length };
  const { least, ...later } = reduceTokens(input, prompts.length);
  const error = lengthError(manifest, model, least);
  return error === null ? { kind: 'asked', prompts, later: [later], ...length } : failed(reduceTooLong(error));
}

/** Around each answer in `{{answers}}`: its number, pages and headings. */
const TOLD_TOKENS = 40;
/** Where it has none of these and says nothing. */
const LEAST_TOLD_TOKENS = 12;

/** `least`: what the answers cannot go below, however little they say. */
function reduceTokens({ task, model, document }: QuestionInput, parts: number): LaterCall & { readonly least: number } {
  const texts = renderReduce({ task, document, merged: null, answers: [] });
  const around = countTexts(texts, reduceForm(task), model.structuredOutput);
  const told = parts * timesNamed(task, 'answers');
  const answers = told + parts * timesNamed(task, 'merged');
  return {
    inputTokens: around.inputTokens + answers * halfAnswer(model) + told * TOLD_TOKENS,
    maxInputTokens: around.maxInputTokens + answers * answerTokens(model) + told * TOLD_TOKENS,
    least: around.inputTokens + told * LEAST_TOLD_TOKENS,
    answers,
  };
}

function timesNamed({ merge }: ResolvedTask, name: string): number {
  return parseTemplate(merge?.reduce ?? '').filter((each) => typeof each !== 'string' && each.name === name).length;
}

function failed(failure: JobError): Question {
  return { kind: 'failed', failure };
}
