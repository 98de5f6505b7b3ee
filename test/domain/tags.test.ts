import { expect, test } from 'vitest';
import { covers, neededBy, needsOf, TAG, tagsOf, tagsText } from '../../src/domain/tags.ts';

test('a set of tags is one text, however it was written', () => {
  expect(['large,gpu', 'gpu,large,gpu'].map((text) => tagsText(text.split(',')))).toEqual(['gpu,large', 'gpu,large']);
  expect([tagsText([]), tagsOf(''), tagsOf('gpu,large')]).toEqual(['', [], ['gpu', 'large']]);
});

test('who has all tags of a set may do what needs it, and everybody what needs none', () => {
  expect([covers([], ''), covers(['gpu'], ''), covers(['gpu', 'large'], 'gpu'), covers(['gpu'], 'gpu,large')]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('what the tasks of a run need is each set once, and none first', () => {
  const requires = { a: ['large', 'gpu'], b: ['gpu', 'large'], c: ['gpu'] };
  expect([needsOf(requires), needsOf(undefined)]).toEqual([['', 'gpu', 'gpu,large'], ['']]);
  expect([neededBy(requires, 'a'), neededBy(requires, 'other'), neededBy(undefined, 'a'), neededBy(requires, 'constructor')]).toEqual([
    'gpu,large',
    '',
    '',
    '',
  ]);
});

test('a tag holds nothing that lists are made with', () => {
  expect(['gpu', 'A100', 'zone.eu-1_b', 'a,b', 'a b', '', '-a', 'ä', 'x'.repeat(65)].map((text) => TAG.test(text))).toEqual([
    ...[true, true, true],
    ...[false, false, false, false, false, false],
  ]);
});
