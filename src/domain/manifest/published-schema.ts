import { z } from 'zod';
import type { Json } from '../canonical-json.ts';
import { isObject, type JsonObject } from './raw.ts';
import { manifestSchema } from './schema.ts';

/** The JSON Schema (draft-07) that editors use for completion: what a user may write, with the defaults as they are filled in. */
export function manifestJsonSchema(): JsonObject {
  const schema: unknown = z.toJSONSchema(manifestSchema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  const plain: Json = JSON.parse(JSON.stringify(schema));
  if (!isObject(plain)) throw new Error('the manifest schema is no object');
  const { $schema = null, ...rest } = plain;
  return { $schema, title: 'aieval manifest, version 1', ...rest };
}
