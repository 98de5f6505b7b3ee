import { z } from 'zod';
import { choice, flag, integer, list, object, text, textLike, withRule } from './fields.ts';

/** A smaller part holds too little to judge by, next to what is asked around it. */
export const LEAST_PART_TOKENS = 200;
/** No model takes more. */
const MOST_PART_TOKENS = 10_000_000;

/** Overlap for want of a stated one. */
const DEFAULT_OVERLAP_TOKENS = 200;
/** Of a part: what is repeated is paid twice. */
const MOST_OVERLAP = 1 / 4;

export const chunkSchema = withRule(
  object({
    by: choice(['section', 'tokens'])
      .default('section')
      .describe('Where parts begin: at sections, as far as these fill them well enough, or at any paragraph.'),
    maxTokens: integer(LEAST_PART_TOKENS, MOST_PART_TOKENS)
      .optional()
      .describe("Longest part; default what fits the model's contextTokens beside prompt and answer, 16000 where these are unknown."),
    overlap: integer(0, MOST_PART_TOKENS)
      .optional()
      .describe('Tokens of whole paragraphs or sentences that a part repeats of the one before; default 200; at most a quarter of a part.'),
    context: flag().default(true).describe('Whether title, headings and pages of a part stand above it.'),
    when: choice(['needed', 'always'])
      .default('needed')
      .describe('"needed": a document that fits the model is asked whole. "always": it is cut by maxTokens all the same.'),
  }),
  ({ maxTokens, overlap, when }, report) => {
    if (when === 'always' && maxTokens === undefined) report(['maxTokens'], 'must be stated with "when": "always"');
    if (typeof maxTokens !== 'number' || typeof overlap !== 'number' || overlap <= mostOverlap(maxTokens)) return;
    report(['overlap'], `must be at most ${mostOverlap(maxTokens)}, a quarter of maxTokens`);
  },
)
  .optional()
  .describe('How a document that does not fit the model is cut into parts, each asked by itself; default it is not asked.');

/** The most that parts of at most so many tokens may repeat of each other. */
export function mostOverlap(maxTokens: number): number {
  return Math.floor(maxTokens * MOST_OVERLAP);
}

/** The overlap of parts of at most so many tokens (`null`: unknown yet), for want of a stated one. */
export function defaultOverlap(maxTokens: number | null): number {
  return maxTokens === null ? DEFAULT_OVERLAP_TOKENS : Math.min(DEFAULT_OVERLAP_TOKENS, mostOverlap(maxTokens));
}

const POINTER = /^(?:\/(?:[^~/*]|~[01])+)+$/;
const pointer = textLike(POINTER, 'a JSON pointer without "*", such as "/findings"');

export const mergeSchema = withRule(
  object({
    array: z
      .union([pointer, list(pointer, 'JSON pointers').min(1, { error: 'must name at least one array' })], {
        error: 'must be a JSON pointer such as "/findings", or a list of them',
      })
      .optional()
      .describe('JSON pointers of the arrays whose items are joined from the answers to all parts.'),
    dedupe: choice(['evidence', 'none'])
      .default('evidence')
      .describe('"evidence": what two parts found in the same words of the document counts once.'),
    reduce: text('a prompt or the path of one')
      .optional()
      .describe(
        'Prompt, or the path of a file with it, of one more call that makes one answer of all. Knows {{answers}}, {{merged}}, {{vars.x}}, {{schema}}, {{document.path}}, {{document.title}}.',
      ),
  }),
  ({ array, reduce }, report) => {
    if (array === undefined && reduce === undefined) report([], 'needs "array" or "reduce"');
  },
)
  .optional()
  .describe('How the answers to the parts of a document become one. Needed with "chunk".');

/** The rules of a task about parts: how to cut and how to join belong together, and text is joined by a model only. */
export function withParts<Schema extends z.ZodType>(task: Schema) {
  return withRule(task, ({ chunk, merge, output }, report) => {
    if (chunk !== undefined && merge === undefined) report(['chunk'], 'needs "merge" beside it, with "array" or "reduce"');
    if (chunk === undefined && merge !== undefined) report(['merge'], 'has no meaning without "chunk"');
    if (!isRecord(merge) || !isRecord(output) || output.format !== 'text') return;
    if (merge.array !== undefined) report(['merge', 'array'], 'has no meaning with "format": "text"');
    if (merge.reduce === undefined) report(['merge'], 'needs "reduce": texts cannot be joined otherwise');
  });
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
