import { expect, test } from 'vitest';
import { positionOf } from '../../src/domain/document.ts';
import { contentOf, outlineOf } from './extracted.ts';

test('the source is kept as it is; title and sections come from its headings', async () => {
  const content = await contentOf('# The *Timer* `block`\n\nSee **CTRL**.\n\nUnderlined\n---\n\n### Deep ###\n', 'a.md');
  expect(content).toMatchObject({ format: 'markdown', extractor: 'md@1+norm:1', title: 'The Timer block', pages: [], warnings: [] });
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
