import { z } from 'zod';
import type { Json } from '../canonical-json.ts';
import { isObject, type JsonObject } from './raw.ts';
import { manifestSchema, OUTSIDE_PROFILES } from './schema.ts';

/** The manifest's schema as JSON Schema: what a user may write, with the defaults as they are filled in. */
export function manifestFieldsSchema(): JsonObject {
  const schema: unknown = z.toJSONSchema(manifestSchema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  const plain: Json = JSON.parse(JSON.stringify(schema));
  if (!isObject(plain)) throw new Error('the manifest schema is no object');
  return plain;
}

/**
 * The JSON Schema (draft-07) that editors use for completion. A manifest that extends others may leave out, at every depth, what stands
 * in these; a profile may leave out everything.
 */
export function manifestJsonSchema(): JsonObject {
  const { $schema = null, ...fields } = manifestFieldsSchema();
  const whole = withProfiles(fields);
  const part = relaxed(whole);
  const partFields = propertiesOf(part);
  const ofProfile = Object.keys(partFields).filter((name) => !OUTSIDE_PROFILES.includes(name));
  return {
    $schema,
    title: 'aieval manifest, version 1',
    type: 'object',
    if: { required: ['extends'] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
    then: { $ref: '#/definitions/part' },
    else: { $ref: '#/definitions/whole' },
    definitions: {
      whole,
      part,
      profile: {
        type: 'object',
        properties: Object.fromEntries(ofProfile.map((name) => [name, { $ref: `#/definitions/part/properties/${name}` }])),
        additionalProperties: false,
      },
    },
  };
}

function withProfiles(fields: JsonObject): JsonObject {
  const properties = propertiesOf(fields);
  const { profiles = {} } = properties;
  if (!isObject(profiles)) throw new Error('profiles is no schema');
  const profile = { $ref: '#/definitions/profile' };
  return { ...fields, properties: { ...properties, profiles: { ...profiles, additionalProperties: profile } } };
}

function propertiesOf(schema: JsonObject): JsonObject {
  const { properties = {} } = schema;
  if (!isObject(properties)) throw new Error('a schema without properties');
  return properties;
}

/** The schema of a part of what `schema` describes: nothing is required, and of several forms more than one may fit. */
function relaxed(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === 'required') return [];
    return [[key === 'oneOf' ? 'anyOf' : key, relaxedPart(key, value)]];
  });
  return Object.fromEntries(entries);
}

/** Values of `properties` are schemas by names of the manifest, of which one may well be `required`. */
function relaxedPart(key: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => (isObject(item) ? relaxed(item) : item));
  if (!isObject(value) || key === 'default') return value;
  if (key !== 'properties') return relaxed(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, isObject(schema) ? relaxed(schema) : schema]));
}
