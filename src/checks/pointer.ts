import type { Json } from '../domain/canonical-json.ts';
import { isArray } from './show.ts';

/** One match of a pointer: `pointer` is a plain JSON pointer, without `*`. */
export type Match = { readonly pointer: string; readonly value: Json };

const EVERY = '*';
const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * The values of an answer that a JSON pointer names, in the answer's order. `''` is the whole answer; `*` stands for every item of
 * an array and every value of an object; `~0` is `~`, `~1` is `/`. Empty when nothing is there.
 */
export function select(answer: Json, at: string): Match[] {
  let matches: Match[] = [{ pointer: '', value: answer }];
  for (const segment of segmentsOf(at)) {
    matches = matches.flatMap((match) => (segment === EVERY ? childrenOf(match) : childOf(match, segment)));
  }
  return matches;
}

/**
 * The value beside the one at `pointer` that `relative` names from their common parent, without `*`: `page` or `/place/page`.
 * `undefined` when it is not there, or the value is the whole answer.
 */
export function valueBeside(answer: Json, pointer: string, relative: string): Json | undefined {
  if (pointer === '') return undefined;
  const path = [...segmentsOf(pointer).slice(0, -1), ...segmentsOf(relative.startsWith('/') ? relative : `/${relative}`)];
  let match: Match | undefined = { pointer: '', value: answer };
  for (const segment of path) match = match === undefined ? undefined : childOf(match, segment)[0];
  return match?.value;
}

/** An object that a value stands in: the name of what leads to the value, and whether that is the value itself. */
export type Above = { readonly value: { readonly [name: string]: Json }; readonly towards: string; readonly isParent: boolean };

/** The nearest object around the value at `pointer`, at least `levels` above it; lists are passed over. */
export function objectAbove(answer: Json, pointer: string, levels = 1): Above | undefined {
  const path = segmentsOf(pointer);
  let found: Above | undefined;
  let match: Match | undefined = { pointer: '', value: answer };
  for (const [depth, segment] of path.entries()) {
    if (match === undefined) return undefined;
    const { value } = match;
    const above = path.length - depth;
    const isObject = value !== null && typeof value === 'object' && !isArray(value);
    if (isObject && above >= levels) found = { value, towards: segment, isParent: above === 1 };
    match = childOf(match, segment)[0];
  }
  return found;
}

/**
 * The answer with `value` at a pointer without `*`; objects that are missing above it are made. `undefined` when something else stands
 * in the way.
 */
export function withValueAt(answer: Json, pointer: string, value: Json): Json | undefined {
  return put(answer, segmentsOf(pointer), value);
}

function put(holder: Json, [segment, ...rest]: readonly string[], value: Json): Json | undefined {
  if (segment === undefined) return value;
  if (holder !== null && isArray(holder)) {
    const item = itemOf(holder, segment);
    const changed = item === undefined ? undefined : put(item, rest, value);
    return changed === undefined ? undefined : holder.map((each, i) => (i === Number(segment) ? changed : each));
  }
  if (holder !== null && typeof holder !== 'object') return undefined;
  const below = put(propertyOf(holder, segment) ?? null, rest, value);
  return below === undefined ? undefined : { ...holder, [segment]: below };
}

/** The pointer of the value that holds the one at `pointer`; `null` for the whole answer. */
export function parentOf(pointer: string): string | null {
  return pointer === '' ? null : pointer.slice(0, pointer.lastIndexOf('/'));
}

/** Whether the pointer may match several values. */
export function hasWildcard(at: string): boolean {
  return segmentsOf(at).includes(EVERY);
}

/** Whether the pointer's own matches are the items of something. */
export function endsInWildcard(at: string): boolean {
  return segmentsOf(at).at(-1) === EVERY;
}

function segmentsOf(pointer: string): string[] {
  return pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function childOf({ pointer, value }: Match, segment: string): Match[] {
  const child = isArray(value) ? itemOf(value, segment) : propertyOf(value, segment);
  return child === undefined ? [] : [{ pointer: `${pointer}/${escaped(segment)}`, value: child }];
}

function itemOf(items: readonly Json[], segment: string): Json | undefined {
  return INDEX.test(segment) ? items[Number(segment)] : undefined;
}

function propertyOf(value: Json, segment: string): Json | undefined {
  if (value === null || typeof value !== 'object' || isArray(value) || !Object.hasOwn(value, segment)) return undefined;
  return value[segment];
}

function childrenOf({ pointer, value }: Match): Match[] {
  if (value === null || typeof value !== 'object') return [];
  if (isArray(value)) return value.map((item, index) => ({ pointer: `${pointer}/${index}`, value: item }));
  return Object.entries(value).map(([name, child]) => ({ pointer: `${pointer}/${escaped(name)}`, value: child }));
}

function escaped(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
