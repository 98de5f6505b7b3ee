import { describe, expect, test } from 'vitest';
import type { CanonicalText, DocumentFormat } from '../../../src/domain/document.ts';
import { createEvidenceIndex } from '../../../src/evidence/evidence-index.ts';
import { verifyQuote } from '../../../src/evidence/verify-quote.ts';
import { canonicalText } from '../canonical.ts';

/** A document with one table between two lines of prose. */
function withTable(rows: string, format: DocumentFormat): CanonicalText {
  const before = 'The berths are these.\n\n';
  const text = `${before}${rows}\n\nA rule is b | c here.`;
  return {
    ...canonicalText(text, format),
    blocks: [{ kind: 'table', start: before.length, end: before.length + rows.length, headerEnd: null }],
  };
}

function verdict(content: CanonicalText, quote: string): string {
  return verifyQuote(createEvidenceIndex(content), quote, { minChars: 3 }).status;
}

const HTML = withTable('Method | Retried | Most\nPOST | no | 5\nGET method | yes | 7\nPUT method |  | 9', 'html');
const MARKDOWN = withTable(
  '| Method | Retried | Most |\n|---|---|---|\n| POST | no | 5 |\n| `GET` method | yes | 7 |\n| PUT method | | 9 |',
  'markdown',
);

describe('quotes of the rows of a table', () => {
  test.each([
    'GET method | yes | 7',
    '| GET method | yes | 7 |',
    'GET method yes 7',
    'GET method\tyes\t7',
    'POST | no | 5\nGET method | yes | 7',
    '| POST | no | 5 |\n| GET method | yes | 7 |',
    '| POST | no | 5 | | GET method | yes | 7 |',
    'POST no 5\nGET method yes 7',
  ])('%j stands there', (quote) => {
    expect([verdict(HTML, quote), verdict(MARKDOWN, quote)]).toEqual(['verified', 'verified']);
  });

  test.each([
    'GET method | no | 7',
    'GET method | 7 | yes',
    'GET method | 7',
    'GET method 7',
    'GET method no 7',
    'GET | method | yes | 7',
    'GET method | yes 5',
    'GETmethod | yes | 7',
    'GET methodyes 7',
    'PUT method | 9',
    'PUT method 9',
    'POST no 5 GET method yes 7',
    'POST | no | 5 | GET method | yes | 7',
    'A rule is b c here.',
  ])('%j does not', (quote) => {
    expect([verdict(HTML, quote), verdict(MARKDOWN, quote)]).not.toContain('verified');
  });

  test('cells without white space between them are not joined to a number', () => {
    const content = withTable('|x value|5|7|\n|y value|5 |7|', 'markdown');
    expect(['x value 57', 'value|57', 'y value 57'].map((quote) => verdict(content, quote))).not.toContain('verified');
  });
});
