import { describe, expect, test } from 'vitest';
import { select, valueBeside } from '../../src/checks/pointer.ts';
import type { Json } from '../../src/domain/canonical-json.ts';

const ANSWER: Json = { a: [{ q: 1 }, { q: 2 }, 3], 'x/y': { '~': 'z' }, '': 0, '*': 1 };

describe('select', () => {
  test.each<[string, [string, Json][]]>([
    ['', [['', ANSWER]]],
    ['/a/1/q', [['/a/1/q', 2]]],
    [
      '/a/*/q',
      [
        ['/a/0/q', 1],
        ['/a/1/q', 2],
      ],
    ],
    ['/a/2', [['/a/2', 3]]],
    ['/x~1y/~0', [['/x~1y/~0', 'z']]],
    ['/x~1y/*', [['/x~1y/~0', 'z']]],
    ['/', [['/', 0]]],
    ['/a/01', []],
    ['/a/-', []],
    ['/a/length', []],
    ['/constructor', []],
    ['/a/2/*', []],
    ['/b', []],
  ])('%j', (at, expected) => {
    expect(select(ANSWER, at).map(({ pointer, value }) => [pointer, value])).toEqual(expected);
  });

  test('takes the pointers that it gives', () => {
    for (const { pointer, value } of select(ANSWER, '/*'))
      if (pointer !== '/*') expect(select(ANSWER, pointer)).toEqual([{ pointer, value }]);
  });
});

describe('valueBeside', () => {
  test.each<[string, string, Json | undefined]>([
    ['/a/0/q', 'q', 1],
    ['/a/0/q', '/q', 1],
    ['/x~1y/none', '~0', 'z'],
    ['/a/0', '1/q', 2],
    ['/a/0/q', 'page', undefined],
    ['/a', '*', 1],
    ['', 'a', undefined],
  ])('of %j, %j', (pointer, relative, expected) => {
    expect(valueBeside(ANSWER, pointer, relative)).toEqual(expected);
  });
});
