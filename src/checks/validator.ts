import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { canonicalJson, type Json } from '../domain/canonical-json.ts';
import { type Path, pointerOf } from '../domain/manifest/path.ts';
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
/** Without a logger, unknown formats are passed over in silence: the manifest's validation has warned of them. */
const OPTIONS: Options = { allErrors: true, strict: false, verbose: true, logger: false, code: { regExp: REGEXP_ENGINE } };

/**
 * Compiles a JSON Schema, or what stands `at` a place in it: draft-07 when its `$schema` says so, else 2020-12. Formats are checked;
 * nothing is ever loaded from the network. Throws an `Error` when the schema is invalid, asynchronous or refers to another one.
 * Compiling takes milliseconds: keep the result.
 */
export function createValidator(schema: Json, at: Path = []): Validator {
  const { draft07, body } = withoutDialect(schema);
  const ajv = draft07 ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  addFormats.default(ajv);
  const isValid = at.length === 0 ? ajv.compile(body) : ajv.addSchema(body, WHOLE).getSchema(`${WHOLE}#${fragmentOf(at)}`);
  if (isValid === undefined) throw new Error(`the JSON Schema has nothing at ${pointerOf(at)}`);
  // An asynchronous validator gives a promise, and a promise is truthy whatever it ends in.
  if ('$async' in isValid) throw new Error('a JSON Schema with "$async" cannot be used');
  return (value) => (isValid(value) === true ? [] : breachesOf(isValid.errors ?? []));
}

/** Any name: no user's schema is loaded beside it. */
const WHOLE = 'whole';

function fragmentOf(at: Path): string {
  return pointerOf(at).split('/').map(encodeURIComponent).join('/');
}

export type ValidatorFor = (schema: Json, at?: Path) => Validator;

/** Compiled schemas that are kept. */
const MOST_VALIDATORS = 64;

/**
 * `createValidator` that keeps what it compiled. Compiling takes 8 ms, mostly the schema of schemas, and validating less than a
 * thousandth of that: over a batch it would be most of the work.
 */
export function createValidators(): ValidatorFor {
  const kept = new Map<string, Validator>();
  return (schema, at = []) => {
    const key = canonicalJson([schema, at]);
    const validator = kept.get(key) ?? createValidator(schema, at);
    if (kept.size >= MOST_VALIDATORS) kept.clear();
    kept.set(key, validator);
    return validator;
  };
}

/** Never empty: a value that is not valid has a breach, named or not. */
function breachesOf(errors: readonly ErrorObject[]): string[] {
  return errors.length === 0 ? ['the answer: does not fulfil the schema'] : linesOf(errors);
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
