import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkText, type PartRule } from '../../../src/documents/chunk/chunk-text.ts';
import { estimateTokens } from '../../../src/documents/tokens.ts';
import type { Block, CanonicalText, Section } from '../../../src/domain/document.ts';

type Content = Pick<CanonicalText, 'text' | 'sections' | 'blocks'>;

/** Headings of `#`s at the beginning of lines, nested as readers give them; tables of `|`, listings between fences. */
function contentOf(text: string): Content {
  const headings = [...text.matchAll(/^(#{1,6}) (.*)$/gm)].map((match) => ({
    title: match[2] ?? '',
    level: (match[1] ?? '').length,
    start: match.index,
  }));
  const sections: Section[] = headings.map((heading, index) => {
    const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
    return { ...heading, end: next?.start ?? text.length };
  });
  const blocks: Block[] = [...text.matchAll(/^(?:\|.*\n)+|^```\n[^`]*```\n/gm)].map(({ 0: block, index }) => {
    const isTable = block.startsWith('|');
    const headerEnd = isTable ? index + block.indexOf('\n') + 1 : null;
    return { kind: isTable ? 'table' : 'listing', start: index, end: index + block.length, headerEnd };
  });
  return { text, sections, blocks };
}

const byLength = (text: string): number => text.length;

function texts(content: Content, rule: Partial<PartRule>, tokensOf = byLength): string[] {
  const parts = chunkText(content, { by: 'section', maxTokens: 100, overlap: 0, ...rule }, tokensOf);
  return parts.map(({ start, end }) => content.text.slice(start, end));
}

/** Sentences of ten characters: `Aaaa aaa. `. */
function sentences(count: number, first = 0): string {
  return Array.from({ length: count }, (_, index) => {
    const letter = String.fromCharCode(97 + ((first + index) % 26));
    return `${letter.toUpperCase()}${letter.repeat(3)} ${letter.repeat(3)}. `;
  }).join('');
}

describe('a text', () => {
  test('that fits is one part', () => {
    expect(chunkText(contentOf('# A\n\nShort.'), { by: 'section', maxTokens: 100, overlap: 20 }, byLength)).toEqual([
      { start: 0, ownStart: 0, end: 11, index: 0, of: 1 },
    ]);
    expect(chunkText(contentOf(''), { by: 'tokens', maxTokens: 100, overlap: 0 }, byLength)).toEqual([
      { start: 0, ownStart: 0, end: 0, index: 0, of: 1 },
    ]);
  });

  test('falls into parts that begin at sections, as many of them in one as fit', () => {
    const [a, b, c] = ['# A\n\nAa.\n\n', `# B\n\n${sentences(4)}\n\n`, `# C\n\n${sentences(5)}\n\n`];
    expect(texts(contentOf(a + b + c), {})).toEqual([a + b, c]);
  });

  test('begins at a subsection where a section does not fit, and at a paragraph where that does not either', () => {
    const [a, b] = [`# A\n\n## A.1\n\n${sentences(7)}\n\n`, `## A.2\n\n${sentences(5)}\n\n`];
    const [p, q] = [`${sentences(3)}\n\n`, `${sentences(6)}\n\n`];
    expect(texts(contentOf(a + b + p + q), {})).toEqual([a, b + p, q]);
  });

  test('keeps a section together rather than filling a part that is half full', () => {
    const [a, b] = [`# A\n\n${sentences(5)}\n\n`, `# B\n\n${sentences(2)}\n\n${sentences(4)}\n\n`];
    expect(texts(contentOf(a + b), {})).toEqual([a, b]);
    expect(texts(contentOf(a + b), { by: 'tokens' })).toEqual([`${a}# B\n\n${sentences(2)}\n\n`, `${sentences(4)}\n\n`]);
  });

  test('has a heading and the paragraph below it in one part', () => {
    const [a, b] = [`${sentences(8)}\n\n`, `# B\n\n${sentences(3)}\n\n${sentences(8)}`];
    expect(texts(contentOf(a + b), { by: 'tokens' })[1]).toMatch(/^# B\n\nAaaa/);
  });

  test('is cut between list items, then between sentences, where a paragraph does not fit', () => {
    const items = Array.from({ length: 6 }, (_, index) => `- Item ${index} says. And this.\n`);
    expect(texts(contentOf(items.join('')), {})).toEqual([items.slice(0, 4).join(''), items.slice(4).join('')]);
    expect(texts(contentOf(sentences(25)), {})).toEqual([sentences(10), sentences(10, 10), sentences(5, 20)]);
  });

  test('is not cut behind an abbreviation that goes on with a small letter', () => {
    const text = `${'Words and more words, e.g. these and those, come here. '.repeat(4)}`;
    for (const part of texts(contentOf(text), {})) expect(part).toMatch(/^Words.*here\. $/);
  });

  test('is not cut within the dots that lead to a page number', () => {
    for (const leader of [' . . . . . . . . . . . . . . . . .', '. . . . . . . . . . . . . . . . .', '................................']) {
      for (const part of texts(contentOf(`Some title${leader} 12\n`.repeat(9)), {})) expect(part).toMatch(/^Some[\s\S]* 12\n$/);
    }
  });

  test('is cut between characters where nothing else divides it, after white space if there is any near', () => {
    expect(texts(contentOf('x'.repeat(250)), {}).map(byLength)).toEqual([96, 96, 58]);
    for (const part of texts(contentOf('one two three four '.repeat(30)), { maxTokens: 200 })) expect(part).toMatch(/^\S.* $/);
    for (const part of texts(contentOf('👩‍🚀e\u0301'.repeat(90)), {})) expect(part).toMatch(/^(?:👩‍🚀(?:e\u0301)?|e\u0301)/u);
  });
});

describe('a table or listing', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `| row ${index % 10} | of it |\n`).join('');
  const listing = `\`\`\`\n${'line of code\n'.repeat(5)}\`\`\`\n`;

  test('stays whole where it fits, even if the part before is nearly empty', () => {
    const before = `${sentences(3)}\n\n`;
    expect(texts(contentOf(`${before}${listing}\n${sentences(3)}`), {})).toEqual([before, `${listing}\n`, sentences(3)]);
    expect(texts(contentOf(`${before}${rows(5)}\n${sentences(3)}`), {})).toEqual([before, `${rows(5)}\n`, sentences(3)]);
  });

  test('falls into rows, never within one, where it does not fit', () => {
    for (const part of texts(contentOf(`${rows(40)}\n${sentences(3)}`), {})) expect(part).toMatch(/^(?:\| row|Aaaa)[\s\S]*(?:\|\n+|\. )$/);
    for (const part of texts(contentOf(`\`\`\`\n${'line.  Of code\n'.repeat(50)}\`\`\`\n`), {}))
      expect(part).toMatch(/^(?:line|```)[\s\S]*\n$/);
  });

  test('gives up the overlap before it is cut', () => {
    const [, second] = texts(contentOf(`${sentences(5)}\n\n${sentences(2, 5)}\n\n${listing.repeat(1)}`), { overlap: 40, maxTokens: 90 });
    expect(second).toBe(listing);
  });
});

describe('the overlap', () => {
  const overlaps = (content: Content, rule: Partial<PartRule>) =>
    chunkText(content, { by: 'tokens', maxTokens: 100, overlap: 30, ...rule }, byLength).map(({ start, ownStart }) =>
      content.text.slice(start, ownStart),
    );

  test('is the last whole paragraphs that fit', () => {
    const text = `${sentences(7)}\n\n${sentences(1, 7)}\n\n${sentences(1, 8)}\n\n${sentences(6, 9)}`;
    expect(overlaps(contentOf(text), {})).toEqual(['', `${sentences(1, 7)}\n\n${sentences(1, 8)}\n\n`]);
  });

  test('is the last sentences where the last paragraph is too long, and the last rows of a table', () => {
    expect(overlaps(contentOf(sentences(16)), {})).toEqual(['', sentences(3, 7)]);
    expect(overlaps(contentOf('| a row |\n'.repeat(16)), {})).toEqual(['', '| a row |\n'.repeat(3)]);
  });

  test('is nothing where nothing whole fits, or none is wanted', () => {
    expect(overlaps(contentOf(sentences(16)), { overlap: 9 })).toEqual(['', '']);
    expect(overlaps(contentOf('x'.repeat(150)), {})).toEqual(['', '']);
    expect(overlaps(contentOf(sentences(16)), { overlap: 0 })).toEqual(['', '']);
  });
});

const line = fc.oneof(
  fc.constantFrom(
    '# A',
    '## B',
    '### C',
    '',
    '',
    '',
    '- item',
    '| a | b |',
    '| 1 | 2 |',
    '```',
    'A sentence. Another one! 日本語。終わり。',
  ),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const anyContent = fc.array(line, { maxLength: 60 }).map((lines) => contentOf(lines.join('\n')));
const anyRule = fc
  .record({
    by: fc.constantFrom('section' as const, 'tokens' as const),
    maxTokens: fc.integer({ min: 10, max: 400 }),
    share: fc.double({ min: 0, max: 0.5, noNaN: true }),
  })
  .map(({ share, ...rule }) => ({ ...rule, overlap: Math.floor(rule.maxTokens * share) }));

describe('the parts of any text', () => {
  test('tile it in order, overlap only what the part before holds, and are the same every time', () => {
    fc.assert(
      fc.property(anyContent, anyRule, (content, rule) => {
        const parts = chunkText(content, rule, byLength);
        expect(parts.map(({ ownStart }) => ownStart)).toEqual([0, ...parts.slice(0, -1).map(({ end }) => end)]);
        expect(parts.at(-1)?.end).toBe(content.text.length);
        for (const [index, { start, ownStart, end, ...place }] of parts.entries()) {
          expect(place).toEqual({ index, of: parts.length });
          expect(start).toBeLessThanOrEqual(ownStart);
          expect(start).toBeGreaterThanOrEqual(parts[index - 1]?.ownStart ?? 0);
          if (content.text !== '') expect(end).toBeGreaterThan(ownStart);
        }
        expect(chunkText(content, rule, byLength)).toEqual(parts);
      }),
      { numRuns: 400 },
    );
  });

  test('keep to the budget, by length and by estimated tokens, overlap included', () => {
    fc.assert(
      fc.property(anyContent, anyRule, fc.constantFrom(byLength, estimateTokens), (content, rule, tokensOf) => {
        for (const part of texts(content, rule, tokensOf)) expect(tokensOf(part)).toBeLessThanOrEqual(rule.maxTokens);
      }),
      { numRuns: 400 },
    );
  });

  test('never halve a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('𝑥', '👩🏽', 'é', 'a', '日'), maxLength: 600 }), anyRule, (text, rule) => {
        for (const part of texts(contentOf(text), rule)) expect(part).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/);
      }),
      { numRuns: 200 },
    );
  });

  test.each<[string, string]>([
    ['one letter', 'a'.repeat(2_000_000)],
    ['spaces', ' '.repeat(2_000_000)],
    ['line ends', '\n'.repeat(2_000_000)],
    ['stops', '.'.repeat(2_000_000)],
    ['combining marks', `e${'\u0301'.repeat(2_000_000)}`],
    ['headings', '# A\n'.repeat(200_000)],
    ['short paragraphs', 'a.\n\n'.repeat(300_000)],
  ])('count each piece a bounded number of times, also of %s', (_, text) => {
    let counted = 0;
    const sections = text.startsWith('#') ? nested(text) : [];
    chunkText({ text, sections, blocks: [] }, { by: 'section', maxTokens: 16_000, overlap: 200 }, (piece) => {
      counted += piece.length;
      return Math.ceil(piece.length / 4);
    });
    expect(counted).toBeLessThan(text.length * 3.5);
  });
});

/** Each section within the one before. */
function nested(text: string): Section[] {
  return Array.from({ length: text.length / 4 }, (_, index) => ({ title: 'A', level: index + 1, start: index * 4, end: text.length }));
}
