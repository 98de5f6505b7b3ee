import type { Json } from '../canonical-json.ts';
import { pointerOf } from './path.ts';
import { entriesAt, isObject, itemsAt } from './raw.ts';

/** Where a schema is not what OpenAI's strict mode takes, and why. */
export type StrictFault = { readonly pointer: string; readonly message: string };

/** The first object of the schema that is open, or that has a property which need not be there; `null` when there is none. */
export function strictFault(schema: Json): StrictFault | null {
  for (const [path, node] of schemasIn(schema, [])) {
    if (!isObject(node)) continue;
    const names = entriesAt(node, ['properties']).map(([name]) => name);
    const isObjectSchema = node.type === 'object' || names.length > 0;
    const pointer = pointerOf(path);
    if (isObjectSchema && node.additionalProperties !== false) return { pointer, message: 'needs "additionalProperties": false' };
    const required = new Set(itemsAt(node, ['required']).map(([, name]) => name));
    const missing = names.find((name) => !required.has(name));
    if (missing !== undefined) return { pointer, message: `needs ${JSON.stringify(missing)} in "required"` };
  }
  return null;
}

const MAPS = ['properties', '$defs', 'definitions'] as const;
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;

function* schemasIn(node: Json, path: readonly (string | number)[]): Generator<[path: readonly (string | number)[], node: Json]> {
  yield [path, node];
  if (!isObject(node)) return;
  for (const key of MAPS) for (const [name, child] of entriesAt(node, [key])) yield* schemasIn(child, [...path, key, name]);
  for (const key of LISTS) for (const [index, child] of itemsAt(node, [key])) yield* schemasIn(child, [...path, key, index]);
  if (node.items !== undefined) yield* schemasIn(node.items, [...path, 'items']);
}
