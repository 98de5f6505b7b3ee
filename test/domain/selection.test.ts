import { describe, expect, test } from 'vitest';
import { type Selection, selectedPart, selectionWords } from '../../src/domain/selection.ts';

const ALL: Selection = { document: [], task: [], model: [], first: null };

describe('selectionWords', () => {
  test.each<[Selection, string]>([
    [ALL, ''],
    [{ ...ALL, first: 3 }, '--first 3'],
    [
      { document: ['specs/**', 'tag:paper'], task: ['claims'], model: ['fast'], first: 1 },
      '--document specs/** --document tag:paper --task claims --model fast --first 1',
    ],
  ])('%j is typed as %j', (selection, words) => {
    expect(selectionWords(selection).join(' ')).toBe(words);
  });
});

describe('selectedPart', () => {
  const first = { ...ALL, first: 3 };

  test('a run without options is no part', () => {
    expect(selectedPart({}, 7)).toBeNull();
  });

  test('options that select fewer jobs than there are make a part, which says how many', () => {
    expect(selectedPart({ selection: first, selectedOf: 7 }, 3)).toEqual({ options: '--first 3', jobs: 3, of: 7 });
  });

  test('options that select all jobs make none', () => {
    expect(selectedPart({ selection: first, selectedOf: 3 }, 3)).toBeNull();
  });

  test('of a run that does not know the whole it is not said how many jobs that has', () => {
    expect(selectedPart({ selection: first }, 3)).toEqual({ options: '--first 3', jobs: 3, of: null });
  });
});
