import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assemble } from '../../src/documents/assemble.ts';
import { splitLines } from '../../src/documents/split-lines.ts';

const canonical = (text: string) => assemble(splitLines(text)).text;

const messyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\r', '\f', ' ', '\t', '\u2028', '\u0301', '\u200b', 'word'),
    ),
  )
  .map((parts) => parts.join(''));

test('the canonical text of a canonical text is itself', () => {
  fc.assert(fc.property(messyText, (text) => canonical(canonical(text)) === canonical(text)));
});

test('lines cover the text: each starts behind a line feed and none is missing', () => {
  fc.assert(
    fc.property(messyText, (source) => {
      const { text, lines } = assemble(splitLines(source));
      const expected = text === '' ? [] : [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
      expect(lines.start).toEqual(expected);
      expect(lines.number).toHaveLength(lines.start.length);
    }),
  );
});

test('line numbers are those of the file, and never fall', () => {
  fc.assert(
    fc.property(messyText, (source) => {
      const { text, lines } = assemble(splitLines(source));
      const original = source.split(/\r\n|\n|\r/);
      for (const [index, line] of text.split('\n').entries()) {
        if (line === '') continue;
        const number = lines.number[index] ?? 0;
        expect(
          canonical(original[number - 1] ?? '')
            .split('\n')
            .map((part) => part.trim()),
        ).toContain(line.trim());
        expect(number).toBeGreaterThanOrEqual(lines.number[index - 1] ?? 1);
      }
    }),
  );
});

test('pages tile the text', () => {
  fc.assert(
    fc.property(messyText, (source) => {
      const drafts = splitLines(source);
      const names = Array.from({ length: (drafts.at(-1)?.page ?? 0) + 1 }, (_, index) => ({ number: index + 1, label: null }));
      const { text, pages } = assemble(drafts, names);
      expect(pages.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
    }),
  );
});

test('blank lines at the edges and repeated ones go, the others keep their numbers', () => {
  const { text, lines } = assemble(splitLines('\n\n first  \n\n \n\nsecond\t\n\n'));
  expect(text).toBe(' first\n\nsecond');
  expect(lines).toEqual({ start: [0, 7, 8], number: [3, 4, 7] });
});

test('line feeds of all systems and a byte-order mark make no difference', () => {
  const texts = ['a\nb\n\nc', 'a\r\nb\r\n\r\nc\r\n', 'a\rb\r\rc', '\ufeffa\nb\n\nc\n'];
  expect(texts.map(canonical)).toEqual(texts.map(() => 'a\nb\n\nc'));
});

test('a form feed begins a page and is never kept', () => {
  const names = [1, 2].map((number) => ({ number, label: null }));
  const { text, pages, lines } = assemble(splitLines('one\n\ftwo'), names);
  expect(text).toBe('one\n\ntwo');
  expect(pages).toEqual([
    { number: 1, label: null, start: 0, end: 5 },
    { number: 2, label: null, start: 5, end: 8 },
  ]);
  expect(lines.number).toEqual([1, 2, 2]);
});

test('every draft line has an offset; that of a dropped one is where the text goes on', () => {
  const line = (text: string) => ({ text, number: 1, page: 0 });
  expect(assemble([line(''), line('a'), line(''), line(''), line('b'), line('')]).offsets).toEqual([0, 0, 2, 3, 3, 4]);
});
