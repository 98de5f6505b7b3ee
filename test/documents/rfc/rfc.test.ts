import { describe, expect, test } from 'vitest';
import { positionOf } from '../../../src/domain/document.ts';
import { contentOf, outlineOf } from '../extracted.ts';

const FOOTER = (page: number) => `Doe                         Standards Track                     [Page ${page}]`;
const HEADER = 'RFC 9999                    Timer Protocol                 January 2026';

const PAGES = [
  `
Network Working Group                                            J. Doe
Request for Comments: 9999                                      Example
Category: Standards Track                                  January 2026


                    The Timer Protocol (TIP)
                     for Small Machines

Abstract

   A timer counts.

Table of Contents

   1.  Introduction ................................................. 2
   2.  Timers  ...................................................... 3


${FOOTER(1)}
`,
  `
${HEADER}


1.  Introduction

   An implementation that satisfies all the must, must not, should and


${FOOTER(2)}
`,
  `
${HEADER}


   should not requirements is compliant.

1.1.  Terms

   This page ends with a sentence.


${FOOTER(3)}
`,
  `
${HEADER}

   This page begins with another.

2.  Timers

   Tick.

Appendix A.  Examples

Author's Address

   J. Doe

${FOOTER(4)}
`,
];
const RFC = `${PAGES.join('\f')}\f\n`;

describe('an RFC in text form', () => {
  test('is known by its page footers, whatever its name', async () => {
    expect((await contentOf(RFC, 'spec')).format).toBe('rfc');
    expect((await contentOf(RFC, 'spec.txt', { format: 'text' })).format).toBe('text');
    expect((await contentOf('1.  Words\n', 'spec.txt', { format: 'rfc' })).format).toBe('rfc');
  });

  test('has pages with printed labels, without headers and footers', async () => {
    const content = await contentOf(RFC, 'a.txt');
    expect(content.pages.map(({ number, label }) => [number, label])).toEqual([1, 2, 3, 4].map((number) => [number, String(number)]));
    expect(content.text).not.toMatch(/\[Page|RFC 9999 {5}|\f/);
    expect(content.warnings).toEqual(['7 page headers and footers removed, such as "Doe Standards Track [Page 1]"']);
  });

  test('a sentence goes on over a page break without a blank line; two sentences keep one', async () => {
    const { text } = await contentOf(RFC, 'a.txt');
    expect(text).toContain('must not, should and\n   should not requirements');
    expect(text).toContain('ends with a sentence.\n\n   This page begins');
  });

  test('page and line are those of the file', async () => {
    const content = await contentOf(RFC, 'a.txt');
    const quote = 'should not requirements';
    const start = content.text.indexOf(quote);
    const line = RFC.split('\n').findIndex((text) => text.includes(quote)) + 1;
    expect(positionOf(content, start, start + quote.length)).toMatchObject({ page: 3, pageLabel: '3', section: '1. Introduction', line });
  });

  test('sections are the headings at column 0, without the table of contents', async () => {
    expect(outlineOf(await contentOf(RFC, 'a.txt'))).toEqual([
      'Abstract',
      'Table of Contents',
      '1. Introduction',
      '  1.1. Terms',
      '2. Timers',
      'Appendix A. Examples',
      "Author's Address",
    ]);
  });

  test('a numbered line that reads like a sentence is a legend, not a section', async () => {
    const text = `${RFC}\n\n0     This attribute MUST NOT be present in any packet.\n\n1.  Notes, and more.\n`;
    const titles = (await contentOf(text, 'rfc9999.txt')).sections.map(({ title }) => title);
    expect(titles).toContain('1. Notes, and more.');
    expect(titles.filter((title) => title.includes('MUST NOT be present'))).toEqual([]);
  });

  test('the title is the indented paragraph below the header block', async () => {
    expect((await contentOf(RFC, 'a.txt')).title).toBe('The Timer Protocol (TIP) for Small Machines');
  });

  test('without page breaks it has sections and no pages', async () => {
    const modern = `${PAGES[0]?.replace(FOOTER(1), '')}\n1.  Introduction\n\n   Words.\n`;
    const content = await contentOf(modern, 'rfc9999.txt');
    expect(content).toMatchObject({ format: 'rfc', pages: [], warnings: [] });
    expect(outlineOf(content)).toEqual(['Abstract', 'Table of Contents', '1. Introduction']);
  });

  test('a first line that is not a header stays, even behind a form feed', async () => {
    const odd = RFC.replace(`${HEADER}\n\n   This page begins`, '\n   This page begins');
    expect((await contentOf(odd, 'a.txt')).text).toContain('This page begins with another.');
  });
});
