import type { Json } from '../canonical-json.ts';
import type { Path } from './path.ts';

/** A value before its form is known, so that rules over several fields can speak even when other fields are wrong. */
export type JsonObject = { readonly [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value at `path`; `undefined` when the value has no such place. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let here = value;
  for (const segment of path) {
    if (isList(here)) here = typeof segment === 'number' ? here[segment] : undefined;
    else if (isObject(here)) here = Object.hasOwn(here, segment) ? here[segment] : undefined;
    else return undefined;
  }
  return here;
}

/** Keys and values of the object at `path`; none when there is no object. */
export function entriesAt(value: Json | undefined, path: Path): [key: string, value: Json][] {
  const found = valueAt(value, path);
  return isObject(found) ? Object.entries(found) : [];
}

/** Indexes and values of the list at `path`; none when there is no list. */
export function itemsAt(value: Json | undefined, path: Path): [index: number, value: Json][] {
  const found = valueAt(value, path);
  return isList(found) ? [...found.entries()] : [];
}
