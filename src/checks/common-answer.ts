import { canonicalJson, type Json } from '../domain/canonical-json.ts';
import { isArray } from './show.ts';

type Common = { readonly value: Json; readonly differing: string[] };
type JsonObject = { readonly [name: string]: Json };

/**
 * What several answers say alike, apart from what stands at `arrays`, in the order of the first; and the pointers of what they
 * say differently, or only some of them.
 */
export function commonAnswer(answers: readonly Json[], arrays: readonly string[]): Common {
  const differing: string[] = [];
  const value = commonAt({ arrays: new Set(arrays), above: pointersAbove(arrays), differing }, '', answers);
  return { value: value ?? null, differing };
}

type Search = { readonly arrays: ReadonlySet<string>; readonly above: ReadonlySet<string>; readonly differing: string[] };

function commonAt(search: Search, pointer: string, values: readonly (Json | undefined)[]): Json | undefined {
  if (search.arrays.has(pointer)) {
    // What is no array cannot be joined, and is not dropped in silence.
    if (values.some((value) => value != null && !isArray(value))) search.differing.push(pointer);
    return undefined;
  }
  const objects = values.map((value) => objectOf(value, search.above.has(pointer)));
  if (objects.every((object) => object !== null)) return commonObject(search, pointer, objects);
  const [first] = values;
  if (first !== undefined && new Set(values.map((value) => (value === undefined ? '' : canonicalJson(value)))).size === 1) return first;
  search.differing.push(pointer);
  return undefined;
}

function commonObject(search: Search, pointer: string, objects: readonly JsonObject[]): Json {
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  const entries = [...names].flatMap((name): [string, Json][] => {
    const below = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const value = commonAt(
      search,
      below,
      objects.map((object) => (Object.hasOwn(object, name) ? object[name] : undefined)),
    );
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** What holds nothing but arrays may be missing where they are. */
function objectOf(value: Json | undefined, isAbove: boolean): JsonObject | null {
  if (value === undefined || value === null) return isAbove ? {} : null;
  return typeof value !== 'object' || isArray(value) ? null : value;
}

function pointersAbove(arrays: readonly string[]): ReadonlySet<string> {
  return new Set(
    arrays.flatMap((pointer) => {
      const segments = pointer.split('/');
      return segments.slice(1).map((_, i) => segments.slice(0, i + 1).join('/'));
    }),
  );
}
