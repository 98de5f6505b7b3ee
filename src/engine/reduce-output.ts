import { canonicalJson, type Json } from '../domain/canonical-json.ts';
import { segmentsOf } from '../domain/manifest/path.ts';
import { isObject, itemsAt, type JsonObject } from '../domain/manifest/raw.ts';
import type { ResolvedTask } from '../domain/manifest/resolved.ts';

/**
 * The form in which a `reduce` step answers: the task's, without the arrays that are joined from the parts' answers, so that no
 * model words their quotes anew. Where a schema refers elsewhere for an array it stays as it is: what is answered there is replaced.
 */
export function reduceOutput({ output, merge }: Pick<ResolvedTask, 'output' | 'merge'>): ResolvedTask['output'] {
  if (output.schema === null || merge === null) return output;
  return { ...output, schema: merge.array.reduce<Json>((schema, pointer) => without(schema, segmentsOf(pointer)), output.schema) };
}

function without(schema: Json, [name, ...below]: readonly string[]): Json {
  if (name === undefined || !isObject(schema) || !isObject(schema.properties) || !Object.hasOwn(schema.properties, name)) return schema;
  const { [name]: property = true, ...others } = schema.properties;
  const rest = unconditional(schema, [name, ...below].at(-1) ?? name);
  if (below.length > 0) return { ...rest, properties: { ...schema.properties, [name]: without(property, below) } };
  return { ...rest, properties: others, ...requiredWithout(schema, name) };
}

/** Of the object as a whole: they may ask for what is not there any more. */
const CONDITIONS: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'const', 'enum'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies'],
]);
/** They count what is there, or what the conditions know. */
const TALLIES: ReadonlySet<string> = new Set(['minProperties', 'unevaluatedProperties']);
/** What a condition that says nothing of an array by name may yet ask of it. */
const INDIRECT = ['$ref', '$dynamicRef', ...TALLIES];

/** Without the conditions that an answer without the array might never fulfil. The joined answer is checked against them all. */
function unconditional(schema: JsonObject, array: string): JsonObject {
  const words = [array, ...INDIRECT].map((word) => JSON.stringify(word));
  const rests = (condition: Json): boolean => words.some((word) => canonicalJson(condition).includes(word));
  return Object.fromEntries(Object.entries(schema).filter(([key, value]) => !TALLIES.has(key) && !(CONDITIONS.has(key) && rests(value))));
}

function requiredWithout(schema: JsonObject, name: string): JsonObject {
  if (schema.required === undefined) return {};
  return { required: itemsAt(schema, ['required']).flatMap(([, each]) => (each === name ? [] : [each])) };
}
