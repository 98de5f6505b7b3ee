import type { Json } from '../canonical-json.ts';
import { dottedOf, type Path, pointerOf } from './path.ts';
import { type Problem, type ProblemFacts, problemAt } from './problem.ts';
import { positionAt, type TextFile } from './text-file.ts';

/** What every syntax parses to: values with the offsets at which they stand. */
export type SyntaxNode = { readonly offset: number } & (
  | { readonly kind: 'scalar'; readonly value: null | boolean | number | string }
  | { readonly kind: 'list'; readonly items: readonly SyntaxNode[] }
  | { readonly kind: 'map'; readonly entries: readonly { readonly key: string; readonly keyOffset: number; readonly node: SyntaxNode }[] }
);

export type Place = { readonly file: TextFile; readonly keyOffset: number | null; readonly valueOffset: number };

/** A parsed text: its value, and where each part of it stands (by JSON pointer). What was merged of several has parts in other files than `file`. */
export type Source = { readonly file: TextFile; readonly value: Json; readonly places: ReadonlyMap<string, Place> };

/** Nobody writes deeper, and everything behind may recurse. */
export const MAX_DEPTH = 100;

/** The value of a syntax tree, and the problems that no syntax sees: duplicate keys, numbers that JSON cannot hold. */
export function buildSource(file: TextFile, root: SyntaxNode): { readonly source: Source; readonly problems: readonly Problem[] } {
  const places = new Map<string, Place>();
  const problems: Problem[] = [];
  const report = (offset: number, path: Path, what: string) => problems.push(problemAt(file, offset, { code: 'E02', path, what }));

  const build = (node: SyntaxNode, path: Path, keyOffset: number | null): Json => {
    places.set(pointerOf(path), { file, keyOffset, valueOffset: node.offset });
    if (node.kind === 'list') return node.items.map((item, index) => build(item, [...path, index], null));
    if (node.kind === 'map') return buildMap(node.entries, path);
    if (typeof node.value !== 'number' || Number.isFinite(node.value)) return node.value;
    report(node.offset, path, `${dottedOf(path)} is a number that JSON cannot hold`);
    return 0;
  };

  const buildMap = (entries: Extract<SyntaxNode, { kind: 'map' }>['entries'], path: Path): Json => {
    const values = new Map<string, Json>();
    const firstAt = new Map<string, number>();
    for (const { key, keyOffset, node } of entries) {
      const first = firstAt.get(key);
      if (key === '__proto__') report(keyOffset, [...path, key], 'the key "__proto__" is not allowed');
      else if (first === undefined) values.set(key, build(node, [...path, key], keyOffset));
      else report(keyOffset, [...path, key], `duplicate key ${JSON.stringify(key)}, first at ${lineColumn(file, first)}`);
      firstAt.set(key, first ?? keyOffset);
    }
    return Object.fromEntries(values);
  };

  return { source: { file, value: build(root, [], null), places }, problems };
}

function lineColumn(file: TextFile, offset: number): string {
  const { line, column } = positionAt(file, offset);
  return `${line}:${column}`;
}

/** Where a value stands. */
export type Spot = { readonly file: TextFile; readonly offset: number };

/** `file:line:column` of the value at `path`. */
export function placeOf(source: Source, path: Path): string {
  const { file, offset } = spotOf(source, path);
  return `${file.name}:${lineColumn(file, offset)}`;
}

/** Where the value at `path` stands, or the nearest thing around it that stands in a text. */
export function spotOf(source: Source, path: Path): Spot {
  const place = source.places.get(pointerOf(path));
  if (place !== undefined) return { file: place.file, offset: place.valueOffset };
  return path.length === 0 ? { file: source.file, offset: 0 } : keySpot(source, path.slice(0, -1));
}

/** The same of the key at `path`; for items of a list and for the whole, of the value. */
function keySpot(source: Source, path: Path): Spot {
  const place = source.places.get(pointerOf(path));
  return place === undefined || place.keyOffset === null ? spotOf(source, path) : { file: place.file, offset: place.keyOffset };
}

/** A problem with the value at `facts.path`; where there is no value, with what should hold it. */
export function problemWithValue(source: Source, facts: ProblemFacts): Problem {
  const { file, offset } = spotOf(source, facts.path);
  return problemAt(file, offset, facts);
}

/** A problem with the key at `facts.path`. */
export function problemWithKey(source: Source, facts: ProblemFacts): Problem {
  const { file, offset } = keySpot(source, facts.path);
  return problemAt(file, offset, facts);
}
