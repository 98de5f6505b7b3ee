import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/domain/canonical-json.ts';
import { mergeSources, sourceAt } from '../../../src/domain/manifest/merge-sources.ts';
import type { Path } from '../../../src/domain/manifest/path.ts';
import { isObject, valueAt } from '../../../src/domain/manifest/raw.ts';
import { type Source, spotOf } from '../../../src/domain/manifest/source.ts';
import { parseSource } from '../../../src/domain/manifest/syntax.ts';

function sourceOf(value: Json, name: string): Source {
  const { source } = parseSource(JSON.stringify(value), name);
  if (source === null) throw new Error('no source');
  return source;
}

function mergedValue(under: Json, top: Json): Json {
  if (!isObject(under) || !isObject(top)) return top;
  const merged = Object.entries(top).map(([key, value]): [string, Json] => {
    const below = valueAt(under, [key]);
    return [key, below === undefined ? value : mergedValue(below, value)];
  });
  return { ...under, ...Object.fromEntries(merged) };
}

function scalarsOf(value: Json, path: Path = []): [path: Path, value: Json][] {
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => scalarsOf(item, [...path, index]));
  if (isObject(value)) return Object.entries(value).flatMap(([key, item]) => scalarsOf(item, [...path, key]));
  return [[path, value]];
}

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json[]>(null, true, 'text', 12),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd/e', '~'), tie('json'), { maxKeys: 4 }),
  ),
}));

test('of merged sources every value is the loudest one, and stands where its own text has it', () => {
  fc.assert(
    fc.property(json, json, (under, top) => {
      const merged = mergeSources(sourceOf(under, 'under.json'), sourceOf(top, 'top.json'));
      expect(merged.value).toEqual(mergedValue(under, top));
      for (const [path, value] of scalarsOf(merged.value)) {
        const { file, offset } = spotOf(merged, path);
        expect(file.text.startsWith(JSON.stringify(value), offset)).toBe(true);
        expect(file.name === 'top.json').toBe(valueAt(top, path) !== undefined);
      }
    }),
    { numRuns: 300 },
  );
});

test('a part of a source keeps the places of its values', () => {
  const part = sourceAt(sourceOf({ x: 1, 'y/z': { a: [2] }, 'y/za': 3 }, 'm.json'), ['y/z']);
  expect(part?.value).toEqual({ a: [2] });
  expect([...(part?.places.keys() ?? [])]).toEqual(['', '/a', '/a/0']);
  expect(sourceAt(sourceOf({}, 'm.json'), ['x'])).toBeNull();
});
