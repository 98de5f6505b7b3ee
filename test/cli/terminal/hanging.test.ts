import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hanging } from '../../../src/cli/terminal/hanging.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';

test('a long line goes on below, a little deeper than it began, and a short one stays', () => {
  expect(hanging([' one two three four', 'short'], 12)).toEqual([' one two', '   three', '   four', 'short']);
});

test('a margin of its own keeps what goes on behind it', () => {
  expect(hanging(['  1 │ one two three'], 14, 6)).toEqual(['  1 │ one two', '      three']);
});

test('no line is wider than asked, and no word is lost, whatever is said', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zé漢😀 ]{0,200}$/u), fc.integer({ min: 20, max: 60 }), (text, columns) => {
      const lines = hanging([text], columns);
      for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }),
  );
});

test.each([
  ['  - one two three four', 14, ['  - one two', '    three four']],
  ['no indent, but too long', 12, ['no indent,', '  but too', '  long']],
  ['', 10, ['']],
])('%j in %i columns', (line, columns, expected) => {
  expect(hanging([line], columns)).toEqual(expected);
});
