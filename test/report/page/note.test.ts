import { expect, test } from 'vitest';
import { commonFolder } from '../../../src/report/page/logic/names.ts';
import { shortNote } from '../../../src/report/page/logic/note.ts';

test.each([
  ['1 of 1 quote rejected: /findings/0/quote "The server MAY wait" (not in the document)', 'not in the document: “The server MAY wait”'],
  [
    '1 of 1 quote rejected: /q/0 "say \\"no\\" (twice)" (taken from another document b.md)',
    'taken from another document b.md: “say "no" (twice)”',
  ],
  ['1 of 1 quote only near: /q/0 systems → systms (near, but not the same, page 3)', 'near, but not the same, page 3: systems → systms'],
  ['1 of 1 quote rejected: /q/0 "a long one\\…" (reworded)', 'reworded: “a long one…”'],
  ['3 of 7 quotes rejected: /a/b~1c/quote 1023 → 1032 (altered)', 'altered: 1023 → 1032 · 3 of 7 rejected'],
  ['2 of 2 quotes from what was not in the prompt: /q/0 "x" (verified)', 'verified: “x” · 2 of 2 from what was not in the prompt'],
  ['expected at most 3, got 5', 'expected at most 3, got 5'],
  ['1 of 2 quotes is not in the document', '1 of 2 quotes is not in the document'],
  ['', ''],
])('%j reads %j in the table', (note, shown) => {
  expect(shortNote(note)).toBe(shown);
});

test.each([
  [['specs/a/x.md', 'specs/a/y.md'], 'specs/a/'],
  [['specs/a/x.md', 'specs/ab/y.md'], 'specs/'],
  [['specs/x.md', 'other/x.md'], ''],
  [['x.md', 'y.md'], ''],
  [['/x/a.md', '/y/a.md'], '/'],
  [['deep/er/only.md'], 'deep/er/'],
  [[], ''],
])('%j stand in %j', (paths, folder) => {
  expect(commonFolder(paths)).toBe(folder);
});
