import { z } from 'zod';
import type { Json } from '../canonical-json.ts';
import { ENV_NAME, ID } from './name-forms.ts';

/*
 * The words of which the manifest's schema is made. Each message is the end of a sentence that begins with the field's name:
 * "must be an integer 1–20". Messages that begin with "must" are followed by what came instead.
 */

export function text(what = 'text') {
  const error = `must be ${what}`;
  return z.string({ error }).min(1, { error: `${error}, not empty` });
}

export function textLike(pattern: RegExp, what: string) {
  const error = `must be ${what}`;
  return z.string({ error }).regex(pattern, { error });
}

export function integer(min: number, max: number) {
  const error = `must be an integer ${min}–${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function number(min: number, max: number) {
  const error = `must be a number ${min}–${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

/** A number above 0. */
export function positive(max: number) {
  const error = `must be a number above 0, up to ${max}`;
  return z.number({ error }).gt(0, { error }).max(max, { error });
}

export function anyNumber() {
  return z.number({ error: 'must be a number' });
}

export function flag() {
  return z.boolean({ error: 'must be true or false' });
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be ${alternatives(values)}` });
}

export function list<Item extends z.ZodType>(item: Item, what: string) {
  return z.array(item, { error: `must be a list of ${what}` });
}

/** An object with these keys only. The message for unknown keys carries the known ones, for suggestions. */
export function object<Shape extends z.ZodRawShape>(shape: Shape, what = 'an object') {
  const known = Object.keys(shape).join(' ');
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? known : `must be ${what}`) });
}

type Report = (path: readonly (string | number)[], message: string) => void;

/**
 * A rule over several fields. It is asked even when single fields are wrong, so that a manifest's problems come all at once: it must
 * take each field for anything. What it says of the object as a whole is dropped beside an unknown key, which is likely the slip.
 */
export function withRule<Schema extends z.ZodType>(
  schema: Schema,
  rule: (fields: { readonly [name: string]: unknown }, report: Report) => void,
) {
  return schema.superRefine(
    (value: unknown, context) => {
      const hasSlip = context.issues.some(({ code, path }) => code === 'unrecognized_keys' && (path ?? []).length === 0);
      if (typeof value !== 'object' || value === null) return;
      rule(Object.fromEntries(Object.entries(value)), (path, message) => {
        if (path.length > 0 || !hasSlip) context.addIssue({ code: 'custom', path: [...path], message });
      });
    },
    { when: () => true },
  );
}

/** An object whose keys the user chooses. */
export function dictionary<Value extends z.ZodType>(key: z.ZodString, value: Value, what: string) {
  return z.record(key, value, { error: `must be an object: ${what}` });
}

/** Any JSON value. The parsers give nothing else; what is asked here is that there is one. */
export function json() {
  return z.custom<Json>((value) => value !== undefined, { error: 'must be a JSON value' });
}

/** `a`, `b` or `c`, quoted. */
function alternatives(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value}"`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

export function id() {
  return textLike(ID, 'a name of 1–100 characters without ":", "#" or white space');
}

export function envName() {
  return textLike(ENV_NAME, 'the name of an environment variable, such as "OPENAI_API_KEY"');
}
