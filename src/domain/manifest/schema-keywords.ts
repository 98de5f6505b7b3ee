import type { Json } from '../canonical-json.ts';
import { isObject } from './raw.ts';

/** A keyword of a JSON Schema or of a schema inside it. */
export type SchemaKeyword = { readonly keyword: string; readonly value: Json; readonly pointer: string };

/** Their values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** The names in their values are the user's, not keywords. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  'dependentRequired',
  '$defs',
  'definitions',
]);

type Open = { readonly value: Json; readonly pointer: string; readonly named: boolean };

/** Every keyword of a JSON Schema, at any depth, with its JSON pointer; names of properties and plain data are none. */
export function keywordsOf(schema: Json): SchemaKeyword[] {
  const keywords: SchemaKeyword[] = [];
  const open: Open[] = [{ value: schema, pointer: '', named: false }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value, pointer, named } = item;
    if (value === null || typeof value !== 'object') continue;
    for (const [key, child] of Object.entries(value)) {
      const below = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const isKeyword = isObject(value) && !named;
      if (isKeyword) keywords.push({ keyword: key, value: child, pointer: below });
      if (!isKeyword || !DATA.has(key)) open.push({ value: child, pointer: below, named: isKeyword && NAMED.has(key) });
    }
  }
  return keywords;
}
