import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../canonical-json.ts';
import { isObject } from './raw.ts';
import { keywordsOf } from './schema-keywords.ts';

/** Why a value cannot serve as a JSON Schema, and the JSON pointer of the part that is wrong. */
export type SchemaFault = { readonly pointer: string; readonly message: string };

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/;
const DRAFT_2020 = /^https?:\/\/json-schema\.org\/draft\/20(?:19-09|20-12)\/schema#?$/;

/** Patterns need not be valid in Unicode mode: answers are validated in either. */
const OPTIONS: Options = { strict: false, logger: false, unicodeRegExp: false };

/**
 * Compiles the schema: draft-07 when its `$schema` says so, else 2020-12, as answers are validated. `null` when that works.
 * References to other files do not, nor does "$async": what it validates is a promise, which is never looked into.
 */
export function jsonSchemaFault(schema: Json): SchemaFault | null {
  if (typeof schema === 'boolean') return null;
  if (!isObject(schema)) return { pointer: '', message: 'must be an object, true or false' };
  const { $schema = '', ...used } = schema;
  const draft07 = DRAFT_07.test(String($schema));
  if ($schema !== '' && !draft07 && !DRAFT_2020.test(String($schema))) {
    return { pointer: '/$schema', message: `${JSON.stringify($schema)} is not supported: use draft-07 or 2020-12` };
  }
  const asynchronous = keywordsOf(used).find(({ keyword }) => keyword === '$async');
  if (asynchronous !== undefined) return { pointer: asynchronous.pointer, message: 'cannot be used: it would validate nothing' };
  const ajv = draft07 ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  try {
    if (ajv.validateSchema(used) === true) {
      ajv.compile(used);
      return null;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { pointer: '', message: error.message };
  }
  const [first] = [...(ajv.errors ?? [])].sort((a, b) => b.instancePath.length - a.instancePath.length);
  return { pointer: first?.instancePath ?? '', message: first?.message ?? 'is not valid' };
}
