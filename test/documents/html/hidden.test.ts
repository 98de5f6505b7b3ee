import { describe, expect, test } from 'vitest';
import { contentOf } from '../extracted.ts';

const read = (body: string, head = '') => contentOf(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`, 'a.html');
const styled = (css: string, body: string) => read(body, `<style>${css}</style>`);

describe('text that a reader of the page does not see is left out, and said', () => {
  test.each([
    ['by the attribute', '<p hidden>SECRET</p>'],
    ['by display', '<p style="DISPLAY : none !important">SECRET</p>'],
    ['by a property with an escape', '<p style="d\\69splay:none">SECRET</p>'],
    ['behind a comment', '<p style="/* a; */display:/**/none">SECRET</p>'],
    ['by visibility', '<p style="visibility:hidden">SECRET</p>'],
    ['by collapse', '<p style="visibility:collapse">SECRET</p>'],
    ['by content-visibility', '<p style="content-visibility:hidden">SECRET</p>'],
    ['by no opacity', '<p style="opacity:.0">SECRET</p>'],
    ['by no size', '<p style="font-size:0px">SECRET <b style="font-size:2em">SECRET</b></p>'],
    ['by the shorthand', '<p style="font:0/0 a">SECRET</p>'],
    ['off the screen', '<p style="position:absolute;left:-9999px">SECRET</p>'],
    ['by its indent', '<p style="text-indent:-9999px">SECRET</p>'],
    ['by a clip', '<p style="position:absolute;clip:rect(0, 0, 0, 0)">SECRET</p>'],
    ['by a clip path', '<p style="clip-path:inset(50%)">SECRET</p>'],
    ['by a box of no height', '<p style="height:0;overflow:hidden">SECRET</p>'],
    ['by a scale', '<p style="transform:scale(0)">SECRET</p>'],
    ['white on white', '<p style="color:#fff">SECRET</p>'],
    ['as old pages do it', '<table bgcolor="black"><tr><td><font color="#000000">SECRET</font></td></tr></table>'],
    ['in the colour of the parent', '<div style="background:#123456"><p style="color:rgb(18,52,86)">SECRET</p></div>'],
    ['without a colour', '<p style="color:transparent">SECRET</p>'],
    ['in a dialog that is not open', '<dialog>SECRET</dialog>'],
    ['in a popover', '<div popover>SECRET</div>'],
    ['in place of a film', '<video>SECRET</video>'],
    ['in place of a drawing', '<canvas>SECRET</canvas>'],
    ['for readers without scripts', '<noscript><p>SECRET</p></noscript>'],
    ['for readers without frames', '<noframes>SECRET</noframes>'],
    ['as proposals', '<datalist><option>SECRET</option></datalist>'],
    ['as the description of a drawing', '<svg><desc>SECRET</desc></svg>'],
  ])('%s', async (_, body) => {
    const { text, warnings } = await read(`<p>Shown.</p>${body}`);
    expect({ text, warnings }).toEqual({ text: 'Shown.', warnings: ['hidden text left out (1 passage)'] });
  });

  test('what holds no words is not counted', async () => {
    const { warnings } = await read('a<p hidden> <br></p><noscript><img src="x"></noscript><p style="visibility:hidden"> </p>');
    expect(warnings).toEqual([]);
  });
});

describe('styles of the page are applied', () => {
  test.each([
    ['of a class', '.x{display:none}', '<p class="a x">SECRET</p>'],
    ['of an id', '#x { visibility: hidden }', '<p id="x">SECRET</p>'],
    ['of a tag', 'aside, small{display:none}', '<small>SECRET</small>'],
    ['of several', 'p.x.y{color:red;opacity:0}', '<p class="y x">SECRET</p>'],
    ['for the screen', '@charset "a"; @media screen { .x{display:none} }', '<p class="x">SECRET</p>'],
    ['that count more', '#x{display:none} .x{display:block} p{display:block}', '<p id="x" class="x">SECRET</p>'],
    ['of importance', '.x{display:none!important}', '<p class="x" style="display:block">SECRET</p>'],
    ['behind others', '.y::before{content:"}";display:block} @font-face{a:b} .x{display:none}', '<p class="x y">SECRET</p>'],
    ['and a state that the page is not in', '.x{display:none} .x:hover{display:block}', '<p class="x">SECRET</p>'],
  ])('%s', async (_, css, body) => {
    expect((await styled(css, `<p>Shown.</p>${body}`)).text).toBe('Shown.');
  });

  test('struck through by a class', async () => {
    expect((await styled('.old{text-decoration:line-through}', 'It MUST <b class="old">NOT</b> retry.')).text).toBe('It MUST retry.');
  });
});

describe('what is seen, or what only a browser can tell, stays', () => {
  test.each([
    ['a property whose name only ends so', '', '<p style="backface-visibility:hidden;--x-display:none">seen</p>'],
    ['a value that only looks so', '', `<p style="background:url(display:none.png);font-family:'display:none'">seen</p>`],
    ['a visible part of a hidden one', '', '<p style="visibility:hidden"><span style="visibility:visible">seen</span></p>'],
    ['a part with a size of its own', '', '<p style="font-size:0"><span style="font-size:16px">seen</span></p>'],
    ['words that screen readers skip', '', '<p aria-hidden="true">seen</p>'],
    ['choices', '', '<select><option>seen</option></select>'],
    ['words in place of an object', '', '<object data="x.png">seen</object>'],
    ['an open dialog', '', '<dialog open>seen</dialog>'],
    ['a rule for what stands inside of something', '.a .x{display:none}', '<p class="x">seen</p>'],
    ['a rule for print', '@media print{.x{display:none}}', '<p class="x">seen</p>'],
    ['a rule for a narrow window', '@media (max-width:9px){.x{display:none}}', '<p class="x">seen</p>'],
    ['a rule that another one may overrule', '.x{display:none} .a > .x{display:block}', '<p class="x">seen</p>'],
    ['a tab that is open', '.tab{display:none} .tab.on{display:block}', '<p class="tab on">seen</p>'],
    ['a page that fades in', 'body{opacity:0}', '<p>seen</p>'],
    ['white on a dark part', '', '<div style="background:#222"><p style="color:white">seen</p></div>'],
    ['white on what a picture may be', '', '<div style="background:url(x.png)"><p style="color:white">seen</p></div>'],
    ['an inline box, which has no height', '', '<span style="height:0;overflow:hidden">seen</span>'],
  ])('%s', async (_, css, body) => {
    const { text, warnings } = await styled(css, body);
    expect({ text, warnings }).toEqual({ text: 'seen', warnings: [] });
  });

  test('white text of a page whose styles stand elsewhere', async () => {
    expect((await read('<p style="color:white">seen</p>', '<link rel="stylesheet" href="x.css">')).text).toBe('seen');
  });
});

test('signs of a page that its words do not have are written', async () => {
  const { text } = await read(
    '<ruby>漢<rt>かん</rt>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby> <q>a <q>b</q></q> 5<span style="vertical-align:super">2</span>',
  );
  expect(text).toBe('漢(かん)字(じ) “a ‘b’” 5^2');
});

test('items of numbered lists have their numbers', async () => {
  const lists = [
    '<ol start="4"><li>four<li value="9"><p>nine</p><ol type="a"><li>inner</ol><li>ten</ol>',
    '<ol reversed><li>two<li>one</ol><ul><li>none</ul>',
    '<ol style="list-style: none"><li>plain</ol><ol><li><a>1.</a> Scope<li>2. Terms<li>5 volts<li></ol>',
  ];
  const { text } = await read(lists.join(''));
  expect(text.split('\n').filter((line) => line !== '')).toEqual([
    '4. four',
    '9. nine',
    'a. inner',
    '10. ten',
    '2. two',
    '1. one',
    'none',
    'plain',
    '1. Scope',
    '2. Terms',
    '3. 5 volts',
  ]);
});

test.each([
  ['a style attribute of one property', `<p style="${'text-decoration'.repeat(20_000)}">x`],
  ['brackets in a style', `<p style="${'('.repeat(300_000)}">x`],
  ['an open rule', `<style>${'{'.repeat(300_000)}</style>x`],
  ['open at-rules', `<style>${'@media x{'.repeat(30_000)}</style>x`],
  ['a selector of spaces', `<style>.a${' '.repeat(300_000)}.b{display:none}</style>x`],
  ['a long selector', `<style>${'a'.repeat(300_000)} b{display:none}</style>x`],
  ['a long number', `<p style="opacity:${'0'.repeat(300_000)}?;left:-${'1'.repeat(300_000)};position:fixed">x`],
  ['quotes in quotes', `${'<q>'.repeat(20_000)}x`],
])('%s does not take long', async (_, body) => {
  expect((await read(body)).text).toMatch(/x/);
});
