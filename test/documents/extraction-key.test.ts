import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { docxFile, heading, list, listItem, math, mathRun, paragraph, run, structure, table } from '../../fixtures/make/docx-file.ts';
import { canonicalTextOf } from '../../src/documents/content.ts';
import { readDocx } from '../../src/documents/docx/docx.ts';
import { EXTRACTION_VERSION, extractionKey } from '../../src/documents/extraction-key.ts';
import { canonicalJson, sha256Hex } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import { contentOf } from './extracted.ts';

const INPUT = { bytesSha256: 'a1', name: '/specs/uart.md', format: null, charset: null, password: null };

test('the key is the same wherever the file lies and whatever it is called', () => {
  expect(extractionKey({ ...INPUT, name: 'C:\\other\\copy.MD' })).toBe(extractionKey(INPUT));
});

test.each([
  ['bytes', { bytesSha256: 'a2' }],
  ['extension', { name: 'uart.txt' }],
  ['inner extension', { name: 'uart.md.gz' }],
  ['format', { format: 'text' }],
  ['charset', { charset: 'latin1' }],
  ['password', { password: 'open sesame' }],
  ['empty password', { password: '' }],
])('the key changes with the %s', (_, change) => {
  expect(extractionKey({ ...INPUT, ...change })).not.toBe(extractionKey(INPUT));
});

test('the key does not hold the password', () => {
  expect(extractionKey({ ...INPUT, password: 'open sesame' })).toMatch(/^[0-9a-f]{64}$/);
});

const DOCX = docxFile({
  title: 'Golden',
  numbering: list(1, [['decimal', '%1.']]),
  body: [
    heading('Scope', 1),
    paragraph(`${run('Area ')}${math(structure('sSup', { e: mathRun('r'), sup: mathRun('2') }))}${run(' of it.')}`),
    listItem('first', 1),
    table([
      ['a', 'b'],
      ['c', 'd'],
    ]),
  ].join(''),
});

const TEXTS: Readonly<Record<string, string | Uint8Array>> = {
  'windows-1252.txt': Buffer.from('Der Pr\u00fcfling mu\u00df in 5 s abschalten.\r\n\r\n1 Umfang\r\n\r\nText.', 'latin1'),
  'ligature.md': '# E\ufb03cient\n\nTwo\u00a0words, 2\u2075, soft\u00adhyphen.\n\n| a | b |\n|---|---|\n| c | d |\n',
  'page.html': '<title>T</title><h1>One</h1><p>x<sup>2</sup> <s>not</s> so</p><table><tr><th>a<th>b<tr><td>c<td>d</table><pre>  code</pre>',
  'note.adoc': '= Title\n\n== Part\n\nText.\n',
  'paper.tex': '\\section{One}\nText with $x^2$.\n',
};

/** What each document gives, as one short hash: text, positions and warnings. */
async function outputs(): Promise<Record<string, string>> {
  const folder = new URL('../../fixtures/quickstart/documents/', import.meta.url);
  const files = readdirSync(folder)
    .sort()
    .map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))] as const);
  const found: Record<string, string> = { 'golden.docx': shortHash(canonicalTextOf(await readDocx(DOCX))) };
  for (const [name, content] of [...files, ...Object.entries(TEXTS)]) found[name] = shortHash(await contentOf(content, name));
  return found;
}

function shortHash(content: CanonicalText): string {
  return sha256Hex(canonicalJson(JSON.parse(JSON.stringify(content)))).slice(0, 12);
}

// Red? What a reader gives has changed. If that is meant: raise EXTRACTION_VERSION, put the new number and hashes here.
// (A number above the one in the last release need not be raised again.)
test('what documents give has not changed since EXTRACTION_VERSION was raised', async () => {
  expect({ version: EXTRACTION_VERSION, outputs: await outputs() }).toMatchInlineSnapshot(`
    {
      "outputs": {
        "dram-refresh-paper.pdf": "2ef1ef25c9a4",
        "golden.docx": "137c5392fdd5",
        "lease-protocol.txt": "618ba7d79922",
        "ligature.md": "4334a12a65c8",
        "note.adoc": "3e87ad37d240",
        "page.html": "4e732e0bb76b",
        "paper.tex": "8b88abdae91a",
        "safety-requirements.md": "0901bf02ca9a",
        "sensor-api.html": "228062bd2c3c",
        "uart-registers.md": "c0d3259112e8",
        "windows-1252.txt": "84dcfa116087",
      },
      "version": 1,
    }
  `);
});
