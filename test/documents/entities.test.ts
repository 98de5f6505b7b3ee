import { expect, test } from 'vitest';
import { positionOf } from '../../src/domain/document.ts';
import { contentOf } from './extracted.ts';

const TEXT = 'The host&rsquo;s timer.\n\n&#8220;Fast&#8221; &amp;lt; 5&nbsp;&micro;s &unknown; &#10; end\n';

test('several HTML entities in a plain text are decoded once, with a warning; lines stay right', async () => {
  const content = await contentOf(TEXT, 'a.txt');
  expect(content.text).toBe('The host’s timer.\n\n“Fast” &lt; 5 µs &unknown; &#10; end');
  expect(content.warnings).toEqual(['HTML entities decoded: &rsquo; &#8220; &#8221; …']);
  expect(positionOf(content, content.text.indexOf('end'), content.text.length).line).toBe(3);
});

test('one or two are a text about HTML, and markup is markup', async () => {
  expect(await contentOf('Write &lt; for <, and &gt;.', 'a.txt')).toMatchObject({ text: 'Write &lt; for <, and &gt;.', warnings: [] });
  expect((await contentOf('<a>&lt;b&gt; &amp; &lt;</a>', 'a.xml')).text).toBe('<a>&lt;b&gt; &amp; &lt;</a>');
});

test('in Markdown, code keeps them', async () => {
  const text = '# It&rsquo;s\n\n&ldquo;x&rdquo; `&lt;`\n\n```\n&rsquo;\n```\n';
  const content = await contentOf(text, 'a.md');
  expect(content.text).toBe('# It’s\n\n“x” `&lt;`\n\n```\n&rsquo;\n```');
  expect(content.title).toBe('It’s');
});
