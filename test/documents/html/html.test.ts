import { describe, expect, test } from 'vitest';
import { contentOf, failureOf, outlineOf } from '../extracted.ts';

const page = (body: string, head = '') => `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
const textOf = async (body: string) => (await contentOf(page(body), 'a.html')).text;

describe('the text of a page', () => {
  test.each([
    ['blocks begin lines and white space collapses', '<p>One\n  two</p><div>three</div><div>four</div>', 'One two\n\nthree\nfour'],
    ['inline elements do not part words', 'H<em>el</em>lo <b>wor</b>ld', 'Hello world'],
    ['a line break ends the line', 'a<br>b<br/>c', 'a\nb\nc'],
    ['list items are lines', '<ul><li>one</li><li>two <p>inner</p></li></ul>', 'one\ntwo\n\ninner'],
    ['headings are marked and stay on one line', '<h2>1.<br>Scope <small>draft</small></h2>text', '## 1. Scope draft\n\ntext'],
    ['an empty heading leaves nothing', '<h2> </h2>text', 'text'],
    ['raised and lowered text is marked', '2<sup>5</sup> H<sub>2</sub>O x<sup></sup>', '2^5 H_2O x'],
    ['preformatted text is kept', '<pre>\nif (x)\n\n  y = 1;  // ok\n</pre>after', 'if (x)\n\n  y = 1;  // ok\n\nafter'],
    ['entities are decoded, no-break spaces are plain', '5&nbsp;&micro;s &lt;b&gt; &#8220;q&#8221;', '5 µs <b> “q”'],
    ['scripts and styles are no text', 'a<script>x()</script><style>p{}</style><noscript>n</noscript><template>t</template>b', 'ab'],
    ['hidden parts are left out', 'a<p hidden>b</p><p style="DISPLAY : none">d</p>e', 'ae'],
    ['permalink signs are left out', '<p>Text<a href="#x">¶</a></p><p>See <a href="#y">there</a></p>', 'Text\n\nSee there'],
  ])('%s', async (_, body, expected) => {
    expect(await textOf(body)).toBe(expected);
  });

  test('a table gives one line per row with bars between the cells', async () => {
    const table = '<table><tr><th>Bit<th>Name<tr><td>0<td><p>EN</p><ul><li>on</ul><tr><td><td>all<br>others</table>';
    expect(await textOf(`before${table}after`)).toBe('before\n\nBit | Name\n0 | EN on\n| all others\n\nafter');
  });

  test.each([
    ['a listing in a cell', '<tr><th>F<th>Example<tr><td>a<td><pre>a=\n  5</pre><tr><td>b<td>c', 'F | Example\na | a= 5\nb | c'],
    ['a heading in a cell', '<thead><tr><td>F<td>G</thead><tr><td><h3 id="x">a</h3><td>b', 'F | G\na | b'],
    ['a table in a cell', '<tr><th>F<th>G<tr><td>a<td>x <table><tr><th>n<td>1<tr><td>m<td>2</table> y', 'F | G\na | x n, 1; m, 2 y'],
    ['cells of two rows', '<tr><th rowspan=2>N<th colspan=2>R<tr><th>min<th>max<tr><td>a<td>1<td>2', 'N | R |\n| min | max\na | 1 | 2'],
    ['cells of two rows in the middle', '<tr><td>a<td rowspan=2>b<td>c<tr><td>d<td>e<tr><td>f<td>g<td>h', 'a | b | c\nd | | e\nf | g | h'],
    ['cells of two rows at the end of the header', '<thead><tr><td rowspan=9>a<tbody><tr><td>b', 'a\nb'],
  ])('a table of data stays whole: %s', async (_, table, expected) => {
    const { text, blocks, sections } = await contentOf(page(`<table>${table}</table>`), 'a.html');
    expect([text, blocks.length, sections.length]).toEqual([expected, 1, 0]);
  });

  test('a table with a header whose cell holds a text of its own only arranges the page', async () => {
    const table = '<table><tr><th>menu<tr><td><h1>A</h1><p>one</p><h2>B</h2><p>two</p></table>';
    expect(await textOf(table)).toBe('menu\n\n# A\n\none\n\n## B\n\ntwo');
  });

  test('a table that only arranges the page is no table', async () => {
    const table = '<table><tr><td><h1>Title</h1><p>One</p></td><td><table><tr><td>a<td>b</table></td></tr></table>';
    expect(await textOf(table)).toBe('# Title\n\nOne\n\na | b');
  });

  test('the main part is taken when it holds most of the text, and what is left out is told', async () => {
    const main = `<main><h1>Spec</h1><p>${'word '.repeat(50)}</p></main>`;
    const content = await contentOf(page(`<nav>Home News Contact</nav>${main}<footer>Imprint</footer>`), 'a.html');
    expect(content.text).toMatch(/^# Spec\n\nword/);
    expect(content.text).not.toMatch(/Home|Imprint/);
    expect(content.warnings).toEqual(['text outside the main part of the page left out (10 %)']);
  });

  test('a small main part does not hide the rest', async () => {
    expect(await textOf(`<main>teaser</main><p>${'the long text '.repeat(5)}</p>`)).toMatch(/^teaser\n\nthe long text/);
  });
});

describe('text that is struck through', () => {
  test.each([
    ['del', 'It MUST <del>NOT</del> retry.', 'It MUST retry.'],
    ['s and strike', 'a<s>b</s>c <strike>d <b>e</b></strike> f', 'ac f'],
    ['style', 'It MUST <span style="color: red; text-decoration : underline Line-Through">NOT </span>retry.', 'It MUST retry.'],
    ['text-decoration-line', '<p style="text-decoration-line:line-through">old</p><p>new</p>', 'new'],
    ['inserted text', 'It <del>may</del><ins>MUST</ins> retry.', 'It MUST retry.'],
    ['text that only begins like it', '<small style="text-decoration: none">a</small><section>b</section>', 'a\n\nb'],
  ])('is left out: %s', async (_, body, expected) => {
    expect(await textOf(body)).toBe(expected);
  });

  test('is told with the number of passages; an empty mark is none', async () => {
    const warningsOf = async (body: string) => (await contentOf(page(body), 'a.html')).warnings;
    expect(await warningsOf('a <del>b</del> <s>c <del>d</del></s> <del><br></del>')).toEqual([
      'text that is struck through left out (2 passages)',
    ]);
    expect(await warningsOf('a <ins>b</ins>')).toEqual([]);
  });
});

test('sections, title and line numbers of a page', async () => {
  const content = await contentOf(page('<h1>HTTP</h1><p>a</p><h2>1. Scope</h2><p>b</p>', '<title> RFC 1 -\n HTTP </title>'), 'a.html');
  expect(content).toMatchObject({ format: 'html', extractor: 'html@3:parse5@8.1.1+norm:1', title: 'RFC 1 - HTTP', pages: [] });
  expect(outlineOf(content)).toEqual(['HTTP', '  1. Scope']);
  expect(content.sections.map(({ start }) => content.text.slice(start).split('\n')[0])).toEqual(['# HTTP', '## 1. Scope']);
  expect(content.lines.number).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('without a title element the first heading of level 1 is the title', async () => {
  expect((await contentOf(page('<h2>x</h2><h1>HTTP</h1>'), 'a.html')).title).toBe('HTTP');
});

test('a page without visible text is empty', async () => {
  expect(await failureOf(page('<script>app()</script><div id="root"></div>'), 'a.html')).toMatch(/^document_empty: /);
});

test('a page nested deeper than the call stack is read', async () => {
  const depth = 20_000;
  expect(await textOf(`${'<div>'.repeat(depth)}deep${'</div>'.repeat(depth)}`)).toBe('deep');
});

test('tables and preformatted text are blocks; the first rows of header cells are the header', async () => {
  const table =
    '<table><thead><tr><td>Bit<td>Name</thead><tr><td>0<td>EN</table><pre>\nx\n\ny</pre><table><tr><th>a<tr><td>b</table><table><tr><td>c</table>';
  const { text, blocks } = await contentOf(page(`before${table}`), 'a.html');
  expect(
    blocks.map(({ kind, start, end, headerEnd }) => [kind, text.slice(start, end), headerEnd && text.slice(start, headerEnd)]),
  ).toEqual([
    ['table', 'Bit | Name\n0 | EN', 'Bit | Name'],
    ['listing', 'x\n\ny', null],
    ['table', 'a\nb', 'a'],
    ['table', 'c', null],
  ]);
});

test('headings keep the id by which the page links to them', async () => {
  const { sections } = await contentOf(page('<h1 id="top">A</h1><h2><a name="x">B</a></h2><h2>C</h2>'), 'a.html');
  expect(sections.map(({ anchor }) => anchor)).toEqual(['top', 'x', undefined]);
});

describe('XHTML', () => {
  const body =
    '<head><title/></head><body><p>Before.</p><script src="x.js"/><a id="y"/><p>A<br/>B <![CDATA[x < y]]> &amp; C.</p></body></html>';
  test.each([
    ['by its first line', '<?xml version="1.0"?>', 'a.html'],
    ['by its name', '<!DOCTYPE html>', 'a.xhtml'],
  ])('is read behind tags that close themselves, known %s', async (_, first, name) => {
    expect((await contentOf(`${first}<html xmlns="http://www.w3.org/1999/xhtml">${body}`, name)).text).toBe('Before.\n\nA\nB x < y & C.');
  });

  test('that ends inside a tag is read as far as it goes', async () => {
    expect((await contentOf('<?xml version="1.0"?><html><p>a</p><script/><p>b</p><p class="', 'a.html')).text).toBe('a\n\nb');
  });
});
