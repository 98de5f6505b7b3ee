import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { expect, test } from 'vitest';
import { assemble } from '../../../src/documents/assemble.ts';
import { readMarkdown } from '../../../src/documents/markdown/markdown.ts';
import { splitLines } from '../../../src/documents/split-lines.ts';
import { positionOf } from '../../../src/domain/document.ts';
import { contentOf, outlineOf } from '../extracted.ts';

test('the source is kept as it is; title and sections come from its headings', async () => {
  const content = await contentOf('# The *Timer* `block`\n\nSee **CTRL**.\n\nUnderlined\n---\n\n### Deep ###\n', 'a.md');
  expect(content).toMatchObject({ format: 'markdown', extractor: 'md@2+norm:1', title: 'The Timer block', pages: [], warnings: [] });
  expect(content.text).toBe('# The *Timer* `block`\n\nSee **CTRL**.\n\nUnderlined\n---\n\n### Deep ###');
  expect(outlineOf(content)).toEqual(['The Timer block', '  Underlined', '    Deep']);
});

test('number signs in code, quotations and comments are no headings', async () => {
  const text = '```sh\n# comment\n```\n\n    # indented\n\n> # quoted\n\n<!--\n# hidden\n-->\n\n#hashtag\n\n# Real\n';
  expect(outlineOf(await contentOf(text, 'a.md'))).toEqual(['Real']);
});

test('front matter is text, not a heading', async () => {
  const content = await contentOf('---\ntitle: x\n---\n\n# Real\n', 'a.md');
  expect(content.text).toBe('---\ntitle: x\n---\n\n# Real');
  expect(outlineOf(content)).toEqual(['Real']);
  expect(content.sections[0]?.start).toBe(18);
});

test('without a heading of level 1 there is no title', async () => {
  expect((await contentOf('## Only a subheading\n', 'a.md')).title).toBeNull();
});

test('line numbers are those of the file, although repeated blank lines are gone', async () => {
  const content = await contentOf('\n\n# One\n\n\n\ntext here\n', 'a.md');
  expect(content.text).toBe('# One\n\ntext here');
  const start = content.text.indexOf('text');
  expect(positionOf(content, start, start + 4)).toEqual({ page: null, pageLabel: null, section: 'One', line: 7, start, end: start + 4 });
});

test('headings behind characters outside the basic plane have right offsets', async () => {
  const content = await contentOf('𝑥 ∈ ℝ 👩‍🔬\n\n# Später\n', 'a.md');
  expect(content.text.slice(content.sections[0]?.start)).toBe('# Später');
});

test('fences and tables are blocks, in lists too; a table has its header row', async () => {
  const text = 'Words:\n| a | b |\n|---|:-:|\n| 1 | 2 |\nrow\n\n- item\n  ```js\n  x\n  ```\n\n~~~\nopen\n\nend';
  const content = await contentOf(text, 'a.md');
  expect(
    content.blocks.map(({ kind, start, end, headerEnd }) => [
      kind,
      content.text.slice(start, end),
      headerEnd && content.text.slice(start, headerEnd),
    ]),
  ).toEqual([
    ['table', '| a | b |\n|---|:-:|\n| 1 | 2 |\nrow', '| a | b |\n|---|:-:|'],
    ['listing', '  ```js\n  x\n  ```', null],
    ['listing', '~~~\nopen\n\nend', null],
  ]);
});

const lineStart = (text: string, offset: number): number => text.slice(0, offset).lastIndexOf('\n') + 1;

/** Lines that the block rules of CommonMark turn on, but for those in which the parser itself departs from them. */
const line = fc.constantFrom(
  '',
  'word',
  'two words',
  '# H',
  '## H ##',
  '#no',
  '    # code',
  '===',
  '---',
  '***',
  '- item',
  '* item',
  '1. one',
  '2. two',
  '> quote',
  '>',
  '> # q',
  '```',
  '~~~',
  '````',
  '  - nested',
  '   # H',
  '<div>',
  '</div>',
  '<!-- c',
  '-->',
  '-',
  '- # H',
  '10) ten',
  '\t# tab',
  '- ```',
  '  ```',
);

test('headings are those that a full CommonMark parser finds', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      // The parser takes an item below indented code for a paragraph, against the specification, blank lines between them or not.
      fc.pre(!/^(?: {4}|\t).*\n+(?:\d|-$)/m.test(lines.join('\n')));
      const { text } = assemble(splitLines(['begin', '', ...lines].join('\n')));
      const expected = fromMarkdown(text).children.filter((node) => node.type === 'heading');
      expect(readMarkdown(text).headings.map(({ start, level }) => [start, level])).toEqual(
        expected.map((node) => [lineStart(text, node.position?.start.offset ?? 0), node.depth]),
      );
    }),
    { numRuns: 1000 },
  );
});

test('link definitions above an underline are no part of the heading', () => {
  expect(readMarkdown('[r]: /u\nTitle\n===\n\n[s]: /u\n===').headings).toEqual([{ title: 'Title', level: 1, start: 8 }]);
});
