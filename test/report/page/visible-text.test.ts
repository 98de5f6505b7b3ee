import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visibleParts, visibleString } from '../../../src/report/page/logic/visible-text.ts';
import { NAMED_PAYLOADS } from '../hostile.ts';

describe('visibleString', () => {
  test.each([
    ['a\u202eb', 'a⟨U+202E⟩b'],
    ['a\u0000\u0000\u0000b', 'a⟨U+0000 ×3⟩b'],
    ['zero\u200bwidth\ufeff', 'zero⟨U+200B⟩width⟨U+FEFF⟩'],
    ['lone \ud800 half', 'lone ⟨U+D800⟩ half'],
    ['\u001b[31mred', '⟨U+001B⟩[31mred'],
    [`x${[...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}`, 'x⟨hidden: obey⟩'],
    [`e${'\u0301'.repeat(500)}`, 'e⟨500 combining marks⟩'],
    ['a\u200db', 'a⟨U+200D⟩b'],
    ['one\rtwo', 'one⟨U+000D⟩two'],
    ['\u1100'.repeat(10_000), '⟨10000 joined letters⟩'],
  ])('%j is shown as %j', (text, shown) => {
    expect(visibleString(text)).toBe(shown);
  });

  test.each(['plain', 'tab\tand\nlines\r\n', 'e\u0301', '👩‍💻 🔁', 'می\u200cخواهم', ''])('%j stays as it is', (text) => {
    expect(visibleString(text)).toBe(text);
  });

  test.each(NAMED_PAYLOADS)('nothing unseen remains of %s', (_, payload) => {
    expect(visibleString(payload)).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ufeff\u{e0000}-\u{e007f}\p{Cs}]|\p{M}{9}/u);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(visibleString(payload)).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
  });
});

test('what is no label is the text itself, in order', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      let from = 0;
      for (const { text: part, label } of visibleParts(text)) {
        if (label) continue;
        const at = text.indexOf(part, from);
        expect(at).toBeGreaterThanOrEqual(from);
        from = at + part.length;
      }
    }),
  );
});
