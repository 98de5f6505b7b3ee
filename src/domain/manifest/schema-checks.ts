import { z } from 'zod';
import type { Json } from '../canonical-json.ts';
import { anyNumber, choice, flag, integer, json, list, object, text, textLike, withRule } from './fields.ts';

/** JSON pointer whose segments may be `*`; `~` only as `~0` and `~1`. */
export const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const POINTER_BELOW = /^(?:\/(?:[^~/*]|~[01])+)+$/;

const common = {
  id: textLike(/^[^:#\s]{1,100}$/, 'a name without ":", "#" or white space')
    .optional()
    .describe('Name in results; default the type.'),
  at: textLike(POINTER, 'a JSON pointer such as "/findings/*/quote"')
    .default('')
    .describe('JSON pointer into the answer, "*" for every item; default the whole answer.'),
  severity: choice(['must', 'warn']).default('must').describe('"warn" is shown but never fails a result.'),
};

/** A JSON Schema, inline or by path. */
export function jsonSchemaField() {
  return z
    .custom<Json>((value) => (typeof value === 'object' && value !== null && !Array.isArray(value)) || isTextOrFlag(value), {
      error: 'must be a JSON Schema or the path of one',
    })
    .meta({ type: ['object', 'boolean', 'string'] });
}

function isTextOrFlag(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'string' && value !== '');
}

function withBounds<Schema extends z.ZodType>(schema: Schema) {
  return withRule(schema, ({ min, max }, report) => {
    if (min === undefined && max === undefined) report([], 'needs "min" or "max"');
    if (typeof min === 'number' && typeof max === 'number' && min > max) report(['min'], `is greater than "max": ${min} > ${max}`);
  });
}

/** Flags for `new RegExp`, each once. */
const FLAGS = /^(?!.*(.).*\1)[imsuv]*$/;

function patternFault(pattern: string, flags: string): string | null {
  try {
    new RegExp(pattern, flags);
    return null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error.message;
  }
}

const COUNT_MAX = 1_000_000;

const CHECKS = [
  object({
    ...common,
    type: z.literal('schema').describe('The value must be valid against a further JSON Schema.'),
    schema: jsonSchemaField().describe('JSON Schema, inline or the path of a file.'),
  }),
  object({
    ...common,
    type: z.literal('evidence').describe('Every quote at "at" must stand in the document.'),
    minChars: integer(1, 10_000).default(12).describe('Shorter quotes prove nothing and are rejected.'),
    minVerified: integer(0, 10_000).default(0).describe('Fewer verified quotes fail.'),
    page: textLike(POINTER_BELOW, 'a JSON pointer from the object that holds the quote, such as "/page"')
      .optional()
      .describe('Where the answer states the page of a quote: JSON pointer from the object that holds the quote.'),
    line: textLike(POINTER_BELOW, 'a JSON pointer from the object that holds the quote, such as "/line"')
      .optional()
      .describe('The same for its line.'),
    elided: choice(['accept', 'review'])
      .default('accept')
      .describe('What a quote is worth whose parts stand in order, with an honest ellipsis between them.'),
    absence: choice(['review', 'accept', 'fail'])
      .default('review')
      .describe('What null is worth in the place of a quote: the claim that the document does not say it.'),
  }),
  object({
    ...common,
    type: z.literal('equals').describe('The value must equal a given one.'),
    value: json().describe('The value expected.'),
  }),
  object({
    ...common,
    type: z.enum(['contains', 'not-contains']).describe('The text must, or must not, contain another.'),
    text: text().describe('The text looked for.'),
    ignoreCase: flag().default(false).describe('Whether upper and lower case are the same.'),
  }),
  withRule(
    object({
      ...common,
      type: z.literal('regex').describe('The text must match a pattern.'),
      pattern: text('a regular expression').describe('ECMAScript regular expression; matches anywhere unless anchored.'),
      flags: textLike(FLAGS, 'flags out of "imsuv", each once').default('').describe('Its flags: i, m, s, u, v.'),
    }),
    ({ pattern, flags }, report) => {
      const usable = typeof flags === 'string' && FLAGS.test(flags) ? flags : '';
      const fault = typeof pattern === 'string' ? patternFault(pattern, usable) : null;
      if (fault !== null) report(['pattern'], `cannot be used: ${fault}`);
    },
  ),
  withBounds(
    object({
      ...common,
      type: z.literal('range').describe('The number must lie between bounds.'),
      min: anyNumber().optional().describe('Least value.'),
      max: anyNumber().optional().describe('Greatest value.'),
    }),
  ),
  withBounds(
    object({
      ...common,
      type: z.literal('count').describe('The number of items must lie between bounds: of a list its items, of "*" its matches.'),
      where: jsonSchemaField().optional().describe('JSON Schema, inline or the path of a file: only items valid against it count.'),
      min: integer(0, COUNT_MAX).optional().describe('Fewest items.'),
      max: integer(0, COUNT_MAX).optional().describe('Most items.'),
    }),
  ),
] as const;

/** The check types of this version, in the order in which messages list them. */
export const CHECK_TYPES: readonly string[] = CHECKS.flatMap(({ shape: { type } }) =>
  'options' in type ? type.options : [...type.values],
);

const check = z.discriminatedUnion('type', CHECKS, {
  error: ({ code }) => (code === 'invalid_union' ? `must be one of ${CHECK_TYPES.join(', ')}` : 'must be an object with "type"'),
});

export const checksSchema = withRule(list(check, 'checks'), (checks, report) => {
  const ids = Object.values(checks).map((each) => (typeof each === 'object' && each !== null && 'id' in each ? each.id : undefined));
  for (const [index, id] of ids.entries()) {
    const twin = typeof id === 'string' ? ids.indexOf(id) : index;
    if (twin !== index) report([index, 'id'], `repeats that of checks[${twin}]`);
  }
}).describe('Rules for the answer. An empty list only collects answers.');
