import type { Json } from './canonical-json.ts';

/**
 * Whether a value that came from elsewhere is of a type. Where it is not, `trail` is given the way to the first place that is not: names and
 * indexes from the outside in, none for the value itself.
 */
export type Is<T> = (value: unknown, trail: string[]) => value is T;

export const isText: Is<string> = (value, _trail): value is string => typeof value === 'string';
export const isFlag: Is<boolean> = (value, _trail): value is boolean => typeof value === 'boolean';
export const isNumber: Is<number> = (value, _trail): value is number => typeof value === 'number' && Number.isFinite(value);
export const isCount: Is<number> = (value, _trail): value is number => isNumber(value, []) && Number.isInteger(value) && value >= 0;
/** What was parsed as JSON is nothing else: it only has to be there. */
export const isJson: Is<Json> = (value, _trail): value is Json => value !== undefined;

export function textLike(pattern: RegExp): Is<string> {
  return (value, _trail): value is string => typeof value === 'string' && pattern.test(value);
}

export function oneOf<const T extends string | number | boolean>(...values: readonly T[]): Is<T> {
  return (value, _trail): value is T => values.some((each) => each === value);
}

export function either<A, B>(isA: Is<A>, isB: Is<B>): Is<A | B> {
  // The second tells where it is wrong, so it is the one that can be wrong within.
  return (value, trail): value is A | B => isA(value, []) || isB(value, trail);
}

export function orNull<T>(is: Is<T>): Is<T | null> {
  return (value, trail): value is T | null => value === null || is(value, trail);
}

export function optional<T>(is: Is<T>): Is<T | undefined> {
  return (value, trail): value is T | undefined => value === undefined || is(value, trail);
}

export function listOf<T>(is: Is<T>): Is<readonly T[]> {
  return (value, trail): value is readonly T[] => Array.isArray(value) && value.every((item, at) => isThere(item, is, String(at), trail));
}

/** An object with these fields; it may have others, of a version that knows more. */
export function objectOf<T>(fields: { readonly [Name in keyof T]-?: Is<T[Name]> }): Is<T> {
  const entries: readonly (readonly [string, Is<unknown>])[] = Object.entries(fields);
  return (value, trail): value is T => isObject(value) && entries.every(([name, is]) => isThere(value[name], is, name, trail));
}

/** An object whose names are not known beforehand. */
export function dictionaryOf<T>(names: RegExp, is: Is<T>): Is<{ readonly [name: string]: T }> {
  return (value, trail): value is { readonly [name: string]: T } =>
    isObject(value) &&
    Object.entries(value).every(([name, item]) => isThere(item, is, name, trail) && isThere(name, textLike(names), name, trail));
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isThere(value: unknown, is: Is<unknown>, name: string, trail: string[]): boolean {
  if (is(value, trail)) return true;
  trail.unshift(name);
  return false;
}
