import { describe, expect, test } from 'vitest';
import type { DocumentFormat } from '../../../src/domain/document.ts';
import { createEvidenceIndex } from '../../../src/evidence/evidence-index.ts';
import { verifyQuote } from '../../../src/evidence/verify-quote.ts';
import { canonicalText } from '../canonical.ts';

type Case = readonly [document: string, quote: string];

function verdict(format: DocumentFormat, document: string, quote: string): string {
  const { status, reason } = verifyQuote(createEvidenceIndex(canonicalText(document, format)), quote, { minChars: 3 });
  return reason === null ? status : `${status}: ${reason}`;
}

const DEFINED =
  'The lamp follows [the harbour rules][1] and [the tide table] [^2] to the letter.\n\n[1]: https://a.example/r\n[the tide table]: tides.md\n[^2]: A note.';

const FORMATS = ['markdown', 'asciidoc', 'latex', 'text'] as const;
type Cases = { readonly [format in (typeof FORMATS)[number]]: readonly Case[] };

const HONEST: Cases = {
  markdown: [
    ['Call [the lamp service](https://a.example/v1) before dusk.', 'Call the lamp service before dusk.'],
    ['Call [the lamp service](https://a.example/v1) before dusk.', 'Call [the lamp service](https://a.example/v1) before dusk.'],
    ['Call [the lamp service](https://a.example/v1) before dusk.', 'Call [the lamp\nservice](https://a.example/v1) before dusk.'],
    ['Call [the lamp service](https://a.example/v1) before dusk.', 'https://a.example/v1'],
    ['Call [the lamp service](https://a.example/v1) before dusk.', 'a.example/v1) before dusk'],
    ['Use [`lamp.light()`](#light "Lights it") and [**wait**](./wait.md).', 'Use lamp.light() and wait.'],
    ['See ![a lamp](lamp.png) on the quay.', 'See a lamp on the quay.'],
    [DEFINED, 'The lamp follows the harbour rules and the tide table to the letter.'],
    [DEFINED, 'The lamp follows [the harbour rules][1] and [the tide table] [^2] to the letter.'],
    ['The page <https://a.example/v1> says so.', 'The page https://a.example/v1 says so.'],
    ['The page <https://a.example/v1> says so.', 'The page <https://a.example/v1> says so.'],
    ['The lamp<br>is <b>lit</b> at dusk.', 'The lamp is lit at dusk.'],
    ['Water is H~2~O, at 10<sup>-8</sup> parts.', 'Water is H2O, at 10^-8 parts.'],
    ['The event `"error"` is emitted at dusk.', 'The event "error" is emitted at dusk.'],
    ['The berths `5`-`7` are taken at dusk.', 'The berths 5-7 are taken at dusk.'],
    ['> Note that the lock\n> must be held\n> by one keeper.', 'Note that the lock must be held by one keeper.'],
    ['> Note that the lock\n> must be held.', '> Note that the lock\n> must be held.'],
    ['```c\n// The lock must\n// be held.\n```', 'The lock must be held.'],
    ['The array `a[i](x.y)` is lit.', 'The array a[i](x.y) is lit.'],
  ],
  asciidoc: [
    ['[#norm:a]#insn:lui[] places it and\nis added to it.# It is so.', 'lui places it and is added to it.'],
    ['[#norm:a]#insn:lui[] places it and\nis added to it.# It is so.', '[#norm:a]#insn:lui[] places it and is added to it.#'],
    ['The play is {pm} 3 mm, and{nbsp}no more.', 'The play is ± 3 mm, and no more.'],
    ['As <<sec-4>> says, it is lit.', 'As sec-4 says, it is lit.'],
    ['As <<sec-4,the section>> says, it is lit.', 'As the section says, it is lit.'],
    ['As <<sec-4,the section>> says, it is lit.', 'As <<sec-4,the section>> says, it is lit.'],
    ['Read https://a.example/v1[the manual] first.', 'Read https://a.example/v1[the manual] first.'],
    ['Read https://a.example/v1[the manual] first.', 'https://a.example/v1[the manual]'],
    ['The lamp is lit +\nat dusk by the keeper.', 'The lamp is lit at dusk by the keeper.'],
  ],
  latex: [
    ['The lamp \\cite{a,b} is lit~\\citep[p.~5]{c}.', 'The lamp is lit.'],
    ['The lamp \\cite{a,b} is lit~\\citep[p.~5]{c}.', 'The lamp [1, 2] is lit [3].'],
    ['The lamp \\cite{a,b} is lit~\\cite{c}.', 'The lamp \\cite{a,b} is\nlit~\\cite{c}.'],
    ['The angle $\\alpha$ is $10^{-8}$ of $x_{max}$.', 'The angle α is 10^-8 of x_max.'],
    ['The angle $\\alpha$ is $10^{-8}$ of $x_{max}$.', 'The angle $\\alpha$ is $10^{-8}$ of $x_{max}$.'],
    ['It is set in \\LaTeX{} by hand.', 'It is set in LaTeX by hand.'],
  ],
  text: [
    ['On Monday he wrote:\n> The lamp is\n> not lit.', 'The lamp is not lit.'],
    ['/// The lamp must\n/// be lit at dusk.', 'The lamp must be lit at dusk.'],
  ],
};

const ALTERED: Cases = {
  markdown: [
    ['Call [the lamp service](https://a.example/v1) before dusk.', 'Call the lamp keeper before dusk.'],
    ['Call [the lamp service](https://a.example/v1) before dusk.', 'Call [the lamp service](https://b.example/v9) before dusk.'],
    ['Call [the lamp service](https://a.example/v1) before dusk.', 'Call [the lamp keeper](https://a.example/v1) before dusk.'],
    ['Call [the lamp](a.md) or [the keeper](b.md).', 'Call [the lamp](b.md) or [the keeper](a.md).'],
    ['Call the lamp service before dusk.', 'Call [the lamp service](https://b.example/v9) before dusk.'],
    ['Call the lamp service.\n\nCall [the lamp service](https://a.example/v1).', 'Call [the lamp service](https://b.example/v9).'],
    ['Call [the lamp service](https://a.example/v1) before dusk.', 'Call https://a.example/v9 before dusk.'],
    [DEFINED, 'The lamp follows [the harbour rules][2] and [the tide table].'],
    [DEFINED, 'The lamp follows the harbour rules and the tide tables [^2].'],
    ['The page <https://a.example/v1> says so.', 'The page <https://a.example/v2> says so.'],
    ['The lamp is <b>not</b> lit at dusk.', 'The lamp is lit at dusk.'],
    ['At 10<sup>-8</sup> parts it is lit.', 'At 10-8 parts it is lit.'],
    ['At 10<sup>8</sup> parts it is lit.', 'At 108 parts it is lit.'],
    ['The voltage must be\n> 5 V at dusk.', 'The voltage must be 5 V at dusk.'],
    ['> The voltage must be\n> > 5 V at dusk.', 'The voltage must be 5 V at dusk.'],
    ['> The voltage must be\n> >= 5 V at dusk.', 'The voltage must be 5 V at dusk.'],
    ['```js\nx = a[i](b.c) + 1;\n```', 'x = ai + 1;'],
    ['Read `a[i](b.c)` at dusk.', 'Read ai at dusk.'],
    ['The berths `5`-`7` are taken at dusk.', 'The berths 57 are taken at dusk.'],
    ['The event `"error"` is emitted at dusk.', 'The event "terror" is emitted at dusk.'],
    ['It is f`x` and g``y` at dusk.', 'It is f"x" and g"y at dusk.'],
  ],
  asciidoc: [
    ['Read https://a.example/v1[the manual] first.', 'Read https://b.example/v9[the manual] first.'],
    ['As <<sec-4,the section>> says, it is lit.', 'As <<sec-5,the section>> says, it is lit.'],
    ['The field csr:mstatus[] is lit at dusk.', 'The field ext:mstatus[] is lit at dusk.'],
    ['[#norm:a]#insn:lui[] places it.# It is so.', '[#norm:b]#insn:lui[] places it.# It is so.'],
    ['The play is {pm} 3 mm.', 'The play is 3 mm.'],
    ['----\nx = a +\nb;\n----', 'x = a b;'],
    ['The sum is 1 +\n2 at dusk.', 'The sum is 1 2 at dusk.'],
  ],
  latex: [
    ['The angle $\\alpha$ is lit at dusk.', 'The angle $\\beta$ is lit at dusk.'],
    ['The angle $\\alpha$ is lit at dusk.', 'The angle β is lit at dusk.'],
    ['The lamp \\cite{a} is lit at dusk.', 'The lamp \\cite{b} is lit at dusk.'],
    ['The lamp is lit at dusk.', 'The lamp [1] is lit at dusk.'],
    ['The lamp\\label{a} is lit at dusk.', 'The lamp\\label{b} is lit at dusk.'],
    ['It is $10^{-8}$ of the lamp.', 'It is $10^{-9}$ of the lamp.'],
    ['It is $10^{-8}$ of the lamp.', 'It is 10-8 of the lamp.'],
    ['It is $x^{2y}$ of the lamp.', 'It is x^2y of the lamp.'],
    ['It is $x^{2}y$ of the lamp.', 'It is x^2y of the lamp.'],
  ],
  text: [
    ['The voltage must be\n> 5 V at dusk.', 'The voltage must be 5 V at dusk.'],
    ['/// The lamp must\n/// not be lit.', 'The lamp must be lit.'],
    ['> The lamp\n>= 5 V', 'The lamp 5 V'],
  ],
};

describe('quotes without the marks of their format', () => {
  for (const format of FORMATS) {
    test.each(HONEST[format])(`${format}: %j is quoted as %j`, (document, quote) => {
      expect(verdict(format, document, quote)).toBe('verified');
    });
  }

  for (const format of FORMATS) {
    test.each(ALTERED[format])(`${format}: %j is not quoted as %j`, (document, quote) => {
      expect(verdict(format, document, quote)).not.toMatch(/verified|elided/);
    });
  }

  test('the place of a quoted address is that of the address', () => {
    const text = 'Call [the lamp service](https://a.example/v1) before dusk.';
    const found = verifyQuote(createEvidenceIndex(canonicalText(text, 'markdown')), 'https://a.example/v1', { minChars: 3 });
    expect(found).toMatchObject({ status: 'verified', tier: 'verbatim', text: 'https://a.example/v1' });
  });
});
