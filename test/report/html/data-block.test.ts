import { type ParserError, parse } from 'parse5';
import { expect, test } from 'vitest';
import { dataBlock, dataJson } from '../../../src/report/html/data-block.ts';
import { NAMED_PAYLOADS } from '../hostile.ts';

/** What ends a script element, or keeps it from ending. */
const BREAKING = [
  '</script>',
  '</SCRIPT x>',
  '<!--<script>',
  ']]>',
  '-->',
  '\u2028\u2029',
  '\u007f\u0085\u009f',
  '\ufdd0\ufffe\u{1ffff}\u{10fffe}',
  '\ud800',
];

test.each([...NAMED_PAYLOADS, ...BREAKING.map((text): [string, string] => [JSON.stringify(text), text])])(
  '%s comes out of its element as it went in, and the page goes on behind it',
  (_, text) => {
    const errors: ParserError[] = [];
    const html = `<!doctype html><html><head><title>t</title></head><body>${dataBlock('a', { text })}<p>behind</p></body></html>`;
    const page = parse(html, { onParseError: (error) => errors.push(error) });
    expect(errors).toEqual([]);
    const body = page.childNodes
      .flatMap((node) => ('childNodes' in node ? node.childNodes : []))
      .find(({ nodeName }) => nodeName === 'body');
    const elements = body !== undefined && 'childNodes' in body ? body.childNodes.filter(({ nodeName }) => nodeName !== '#text') : [];
    expect(elements.map(({ nodeName }) => nodeName)).toEqual(['script', 'p']);
    const [script] = elements;
    const data =
      script !== undefined && 'childNodes' in script ? script.childNodes.map((node) => ('value' in node ? node.value : '')).join('') : '';
    expect(JSON.parse(data)).toEqual({ text });
  },
);

test('no sign that a browser could take for markup, or JavaScript for a line end, stands in the data', () => {
  expect(dataJson({ '<a': 'b<c\u2028\ufffe' })).toBe('{"\\u003ca":"b\\u003cc\\u2028\\ufffe"}');
});
