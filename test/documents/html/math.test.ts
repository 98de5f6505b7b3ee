import { expect, test } from 'vitest';
import { contentOf } from '../extracted.ts';

const textOf = async (body: string) => (await contentOf(`<!doctype html><body>${body}`, 'a.html')).text;

test.each([
  ['10^(-8)', '<msup><mn>10</mn><mrow><mo>-</mo><mn>8</mn></mrow></msup>'],
  ['1/2', '<mfrac><mn>1</mn><mn>2</mn></mfrac>'],
  ['(a+b)/2', '<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>'],
  ['(n ¦ k)', '<mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>'],
  ['mc^2', '<mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>'],
  ['x^2 y', '<msup><mi>x</mi><mn>2</mn></msup><mo>\u2062</mo><mi>y</mi>'],
  ['x_n^2', '<msubsup><mi>x</mi><mi>n</mi><mn>2</mn></msubsup>'],
  ['√(x+1)', '<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>'],
  ['√[3](x)', '<mroot><mi>x</mi><mn>3</mn></mroot>'],
  ['∑_(i=1)^n i', '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>'],
  ['x\u0302', '<mover accent="true"><mi>x</mi><mo>^</mo></mover>'],
  ['sin x', '<mi>sin</mi><mo>\u2061</mo><mi>x</mi>'],
  ['_6^14C', '<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>'],
  ['[1, 2; 3, 4]', '<mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd><mtd>4</mtd></mtr></mtable>'],
  ['(a,b)', '<mfenced><mi>a</mi><mi>b</mi></mfenced>'],
  ['x if true', '<mi>x</mi><mtext> if true</mtext>'],
  ['ac', '<mi>a</mi><mphantom><mi>b</mi></mphantom><mi style="display:none">b</mi><mi>c</mi>'],
])('a formula reads %s', async (expected, formula) => {
  expect(await textOf(`<p>So <math>${formula}</math>.</p>`)).toBe(`So ${expected}.`);
});

const SOURCE =
  '<math><semantics><msup><mi>c</mi><mn>2</mn></msup><annotation encoding="application/x-tex">c^{2}</annotation></semantics></math>';

test.each([
  ['by itself', `<math>${SOURCE.slice(6)}`],
  ['as KaTeX draws it', `<span><span class="katex-mathml">${SOURCE}</span><span class="katex-html" aria-hidden="true">c2</span></span>`],
  [
    'as MathJax draws it',
    `<span><b aria-hidden="true">c2</b><span style="position:absolute;clip:rect(1px,1px,1px,1px)">${SOURCE}</span></span>`,
  ],
  ['as MediaWiki draws it', `<span><span style="display: none;">${SOURCE}</span><img src="x.svg" aria-hidden="true" alt="c2"></span>`],
  ['with a prefix', '<mml:math><mml:msup><mml:mi>c</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>'],
])('a formula is written once, without its annotations: %s', async (_, body) => {
  expect(await textOf(`<p>E is ${body} here.</p>`)).toBe('E is c^2 here.');
});

test('a formula that is deeper than the call stack ends', async () => {
  expect(await textOf(`a <math>${'<mrow>'.repeat(50_000)}x</math>`)).toMatch(/^a/);
});
