import { expect, test } from 'vitest';
import { math, mathRun, paragraph, run, structure } from '../../../fixtures/make/docx-file.ts';
import { linesOf } from './read.ts';

const x = mathRun('x');
const n = mathRun('n');

async function written(equation: string): Promise<string> {
  return (await linesOf(paragraph(math(equation)))).join('\n');
}

test.each([
  ['x^2', structure('sSup', { e: x, sup: mathRun('2') })],
  ['x^(n+1)', structure('sSup', { e: x, sup: mathRun('n+1') })],
  ['(x+1)^2', structure('sSup', { e: mathRun('x+1'), sup: mathRun('2') })],
  ['x_n', structure('sSub', { e: x, sub: n })],
  ['x_n^2', structure('sSubSup', { e: x, sub: n, sup: mathRun('2') })],
  ['x^2 y', `${structure('sSup', { e: x, sup: mathRun('2') })}${mathRun('y')}`],
  ['x^2+y', `${structure('sSup', { e: x, sup: mathRun('2') })}${mathRun('+y')}`],
  ['(a+b)/2', structure('f', { num: mathRun('a+b'), den: mathRun('2') })],
  ['1/(1+1/x)', structure('f', { num: mathRun('1'), den: `${mathRun('1+')}${structure('f', { num: mathRun('1'), den: x })}` })],
  ['(n ¦ k)', structure('d', { e: structure('f', { num: n, den: mathRun('k') }, '<m:fPr><m:type m:val="noBar"/></m:fPr>') })],
  ['√(x+1)', structure('rad', { deg: '', e: mathRun('x+1') }, '<m:radPr><m:degHide m:val="1"/></m:radPr>')],
  ['√[3](x)', structure('rad', { deg: mathRun('3'), e: x }, '<m:radPr><m:degHide m:val="0"/></m:radPr>')],
  ['∑_(i=1)^n x', structure('nary', { sub: mathRun('i=1'), sup: n, e: x }, '<m:naryPr><m:chr m:val="∑"/></m:naryPr>')],
  ['∫ x', structure('nary', { sub: '', sup: '', e: x })],
  ['[x|n)', structure('d', {}, `<m:dPr><m:begChr m:val="["/></m:dPr><m:e>${x}</m:e><m:e>${n}</m:e>`)],
  ['sin x', structure('func', { fName: mathRun('sin'), e: x })],
  ['f(x)', structure('func', { fName: mathRun('f'), e: structure('d', { e: x }) })],
  ['lim_(n→0) x', structure('func', { fName: structure('limLow', { e: mathRun('lim'), lim: mathRun('n→0') }), e: x })],
  [
    '[1, 0; 0, 1]',
    structure(
      'm',
      {},
      ['10', '01'].map((row) => `<m:mr>${[...row].map((digit) => `<m:e>${mathRun(digit)}</m:e>`).join('')}</m:mr>`).join(''),
    ),
  ],
  ['a=1; b=2', structure('eqArr', {}, `<m:e>${mathRun('a=1')}</m:e><m:e>${mathRun('b=2')}</m:e>`)],
  ['x\u0302', structure('acc', { e: x })],
  ['a<b&c', mathRun('a<b&c')],
  ['x+1', `${x}<w:del w:id="1">${mathRun('-')}</w:del><w:ins w:id="2">${mathRun('+')}</w:ins>${mathRun('1')}`],
])('an equation reads %s', async (expected, equation) => {
  expect(await written(equation)).toBe(expected);
});

test('equations that stand apart have a line each, of one paragraph', async () => {
  const body = paragraph(`${run('So')}<m:oMathPara>${math(x)}${math(n)}</m:oMathPara>${run('holds.')}`);
  expect(await linesOf(body)).toEqual(['So', 'x', 'n', 'holds.']);
});
