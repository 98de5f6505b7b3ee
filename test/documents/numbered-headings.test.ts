import { expect, test } from 'vitest';
import { mayFollow, numberedHeading, readsLikeHeading } from '../../src/documents/numbered-headings.ts';

test.each([
  ['1. Introduction', [1]],
  ['5.44.  Table of Attributes', [5, 44]],
  ['2.1 Timers', [2, 1]],
  ['4.1.  host names', [4, 1]],
])('%s is a numbered heading', (line, number) => {
  expect(numberedHeading(line)).toEqual({ number, title: line });
});

test.each([
  '1. Introduction ........... 3',
  '2.  Scope . . . . . 4',
  '3. Timers      17',
  '  1. Indented',
  'Introduction',
  '12',
  '1812 is the port',
  `1. ${'long '.repeat(30)}`,
])('%s is none', (line) => {
  expect(numberedHeading(line)).toBeNull();
});

test.each([
  ['1. Über Timer', true],
  ['2 日本語', true],
  ['1. a list item', false],
  ['2. Ends like a sentence.', false],
])('%s reads like a heading: %s', (title, expected) => {
  expect(readsLikeHeading({ number: [1], title })).toBe(expected);
});

test.each([
  [null, [1], true],
  [null, [7], false],
  [[1], [2], true],
  [[1], [1, 1], true],
  [[1, 3], [2], true],
  [[1, 3, 2], [1, 4], true],
  [[1], [3], false],
  [[1, 3], [1, 3], false],
  [[2], [3, 1], false],
  [[2, 1], [1, 2], false],
])('after %j may come %j: %s', (previous, next, expected) => {
  expect(mayFollow(previous, next)).toBe(expected);
});
