import type { Json } from '../canonical-json.ts';
import { type Path, pointerOf } from './path.ts';
import { isObject, type JsonObject, valueAt } from './raw.ts';
import type { Place, Source } from './source.ts';

/** `over` put on `base`: objects merge key by key, everything else is replaced as a whole. Each value keeps its place in its own file. */
export function mergeSources(base: Source, over: Source): Source {
  const places = new Map<string, Place>();
  return { file: over.file, value: merged({ base, over, places }, '', base.value, over.value), places };
}

type Merging = { readonly base: Source; readonly over: Source; readonly places: Map<string, Place> };

function merged(merging: Merging, pointer: string, under: Json | undefined, top: Json): Json {
  const { over, places } = merging;
  if (!isObject(under) || !isObject(top)) {
    copyPlaces(over, pointer, top, places);
    return top;
  }
  copyPlace(over, pointer, places);
  const keys = new Set([...Object.keys(under), ...Object.keys(top)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, mergedKey(merging, `${pointer}${pointerOf([key])}`, ownValue(under, key), ownValue(top, key))]),
  );
}

function mergedKey(merging: Merging, pointer: string, under: Json | undefined, top: Json | undefined): Json {
  if (top !== undefined) return merged(merging, pointer, under, top);
  if (under === undefined) throw new Error(`${pointer} stands on neither side`);
  copyPlaces(merging.base, pointer, under, merging.places);
  return under;
}

function ownValue(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function copyPlaces(from: Source, pointer: string, value: Json, places: Map<string, Place>): void {
  copyPlace(from, pointer, places);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) copyPlaces(from, `${pointer}${pointerOf([key])}`, item, places);
}

function copyPlace(from: Source, pointer: string, places: Map<string, Place>): void {
  const place = from.places.get(pointer);
  if (place !== undefined) places.set(pointer, place);
}

/** The part of a source at `path`, as a source of its own; `null` when nothing stands there. */
export function sourceAt(source: Source, path: Path): Source | null {
  const value = valueAt(source.value, path);
  if (value === undefined) return null;
  const start = pointerOf(path);
  const below = [...source.places].filter(([pointer]) => pointer === start || pointer.startsWith(`${start}/`));
  return { ...source, value, places: new Map(below.map(([pointer, place]) => [pointer.slice(start.length), place])) };
}

/** A source without some keys of its outermost object. */
export function withoutKeys(source: Source, keys: readonly string[]): Source {
  if (!isObject(source.value)) return source;
  return { ...source, value: Object.fromEntries(Object.entries(source.value).filter(([key]) => !keys.includes(key))) };
}
