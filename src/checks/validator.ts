import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json } from '../domain/canonical-json.ts';
import { unicodePattern } from './pattern.ts';
import { schemaErrorLine } from './schema-error.ts';
import { isArray } from './show.ts';

/** The breaches of a schema by a value, one line each, at most ten; empty when the value is valid. */
export type Validator = (value: Json) => string[];

const MOST_LINES = 10;
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;

/** Ajv asks for the source of its engine; only code that is written to files uses it. */
const REGEXP_ENGINE = Object.assign((pattern: string, flags: string) => unicodePattern(pattern, flags.replace('u', '')), {
  code: 'new RegExp',
});
const OPTIONS: Options = { allErrors: true, strict: false, verbose: true, code: { regExp: REGEXP_ENGINE } };

/**
 * Compiles a JSON Schema: draft-07 when its `$schema` says so, else 2020-12. Formats are checked; nothing is ever loaded from the
 * network. Throws an `Error` when the schema is invalid or refers to another one. Compiling takes milliseconds: keep the result.
 */
export function createValidator(schema: Json): Validator {
  const { draft07, body } = withoutDialect(schema);
  const ajv = draft07 ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  addFormats.default(ajv);
  const isValid = ajv.compile(body);
  return (value) => (isValid(value) ? [] : linesOf(isValid.errors ?? []));
}

function withoutDialect(schema: Json): { draft07: boolean; body: boolean | { readonly [name: string]: Json } } {
  if (typeof schema === 'boolean') return { draft07: false, body: schema };
  if (schema === null || typeof schema !== 'object' || isArray(schema)) throw new Error('a JSON Schema must be an object, true or false');
  const { $schema, ...body } = schema;
  return { draft07: typeof $schema === 'string' && DRAFT_07.test($schema), body };
}

function linesOf(errors: readonly ErrorObject[]): string[] {
  const lines = [...new Set(errors.map(schemaErrorLine))];
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES - 1), `and ${lines.length - MOST_LINES + 1} more`];
}
