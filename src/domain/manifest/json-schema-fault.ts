import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../canonical-json.ts';
import { isObject } from './raw.ts';

/** Why a value cannot serve as a JSON Schema, and the JSON pointer of the part that is wrong. */
export type SchemaFault = { readonly pointer: string; readonly message: string };

const READABLE_DRAFTS = /^https?:\/\/json-schema\.org\/(?:draft-0[67]|draft\/20(?:19-09|20-12))\/schema#?$/;

/**
 * The schema as it is used: without `$schema`, which is for editors. Drafts 6 to 2020-12 are all read as 2020-12; the one form
 * that means something else there, a list of `items`, is a fault.
 */
export function usedSchema(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** Compiles the schema as the answers will be validated; `null` when that works. References to other files cannot. */
export function jsonSchemaFault(schema: Json): SchemaFault | null {
  if (isObject(schema) && schema.$schema !== undefined && !READABLE_DRAFTS.test(String(schema.$schema))) {
    return { pointer: '/$schema', message: `${JSON.stringify(schema.$schema)} is not supported: use draft-07 or 2020-12` };
  }
  const used = usedSchema(schema);
  if (typeof used !== 'boolean' && !isObject(used)) return { pointer: '', message: 'must be an object or true or false' };
  const ajv = new Ajv2020({ strict: false, logger: false });
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
