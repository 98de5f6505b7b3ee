import { expect, test } from 'vitest';
import { tagNotes } from '../../../src/cli/plan/tag-notes.ts';

test('tasks are named with the tags that they need, each set of tags once', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const heavy = ids.map((id) => ({ id, requires: ['large', 'gpu'] }));
  expect(tagNotes([{ id: 'any' }, ...heavy, { id: 'x\ny', requires: ['eu'] }])).toEqual([
    '7 tasks need tags gpu, large, which run or worker must be given (--tags gpu,large): a, b, c, d, e and 2 more',
    '1 task needs tag eu, which run or worker must be given (--tags eu): x y',
  ]);
  expect(tagNotes([{ id: 'any', requires: [] }])).toEqual([]);
});
