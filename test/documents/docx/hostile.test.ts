import { describe, expect, test } from 'vitest';
import { docxFile, paragraph, run, table, zipFile } from '../../../fixtures/make/docx-file.ts';
import { failureOf, read } from './read.ts';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const SOUND = docxFile({ body: paragraph('The pump shall stop within 2 s of any failure of the encoder.') });

/** The file with the 32-bit numbers at those offsets of the directory entry of `word/document.xml` changed. */
function withEntry(bytes: Uint8Array, changes: Readonly<Record<number, (value: number) => number>>): Uint8Array {
  const copy = Buffer.from(bytes);
  const name = copy.lastIndexOf('word/document.xml');
  const at = name - 46;
  for (const [offset, change] of Object.entries(changes))
    copy.writeUInt32LE(change(copy.readUInt32LE(at + Number(offset))) >>> 0, at + Number(offset));
  return copy;
}

function ole(stream: string): Uint8Array {
  const sector = Buffer.alloc(2048);
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(sector);
  Buffer.from(stream, 'utf16le').copy(sector, 1024);
  return sector;
}

function documentOf(xml: string): Uint8Array {
  return docxFile({ body: '', documentXml: xml });
}

describe('a Word file that cannot be read', () => {
  test('with a password is encrypted, one of Word 97 unreadable; both say what to do', async () => {
    expect(await failureOf(ole('EncryptedPackage'))).toMatch(/^document_encrypted: .*save a copy without the password/);
    expect(await failureOf(ole('WordDocument'))).toMatch(/^document_unreadable: .*save it as \.docx/);
  });

  test('is broken when it is cut off, or is no ZIP, or no Word file', async () => {
    expect(await failureOf(SOUND.subarray(0, SOUND.length / 2))).toMatch(/^document_broken: its ZIP has no directory/);
    expect(await failureOf(Buffer.from('PK\u0003\u0004 and no more'))).toMatch(/^document_broken: its ZIP has no directory/);
    expect(await failureOf(zipFile({ 'xl/workbook.xml': '<workbook/>' }))).toBe(
      'document_broken: not a Word document: its ZIP has no word/document.xml',
    );
    expect(await failureOf(documentOf('<html>no</html>'))).toBe('document_broken: not a Word document: word/document.xml holds <html>');
  });

  test('is broken when a byte of a part changed', async () => {
    const copy = Buffer.from(SOUND);
    const at = copy.indexOf('word/document.xml') + 60;
    copy.writeUInt8((copy[at] ?? 0) ^ 0xff, at);
    expect(await failureOf(copy)).toMatch(/^document_broken: word\/document\.xml in its ZIP is damaged/);
  });

  test('is broken when its ZIP lies about a size, in either direction', async () => {
    expect(await failureOf(withEntry(SOUND, { 24: () => 100 }))).toBe(
      'document_broken: word/document.xml unpacks to more than the 100 bytes that the ZIP declares',
    );
    expect(await failureOf(withEntry(SOUND, { 24: (size) => size + 1 }))).toMatch(
      /^document_broken: word\/document\.xml in its ZIP is damaged/,
    );
    expect(await failureOf(withEntry(SOUND, { 24: () => 0xfffffff0 }))).toMatch(
      /^document_broken: word\/document\.xml would unpack to 4294967280 bytes/,
    );
    expect(await failureOf(withEntry(SOUND, { 42: () => 0x7fffffff }))).toMatch(
      /^document_broken: word\/document\.xml in its ZIP is damaged/,
    );
  });

  test('is refused as a bomb before it is unpacked', async () => {
    const bomb = zipFile({ 'word/document.xml': Buffer.alloc(32 * 1024 * 1024, 0x20) });
    expect(await failureOf(bomb)).toMatch(/^document_broken: word\/document\.xml would unpack to \d+ times its size, as a ZIP bomb does/);
  });

  test('with the same name twice is refused: readers disagree about which one counts', async () => {
    const copy = Buffer.from(zipFile({ 'word/document.xml': '<a/>', 'word/document.xmk': '<b/>' }));
    for (let at = copy.indexOf('word/document.xmk'); at !== -1; at = copy.indexOf('word/document.xmk')) copy.write('word/document.xml', at);
    expect(await failureOf(copy)).toBe('document_broken: its ZIP holds "word/document.xml" twice');
  });

  test('that holds only images has no text', async () => {
    const image = '<w:r><w:drawing><a:graphic><pic:pic/></a:graphic></w:drawing></w:r>';
    expect(await failureOf(docxFile({ body: `<w:p>${image}</w:p>` }))).toBe('document_no_text: it holds images and no text; it needs OCR');
  });
});

describe('XML of a Word file', () => {
  test('with a document type declaration is refused, so that no entity is ever defined', async () => {
    const bomb = `<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document xmlns:w="${WORD}"><w:body/></w:document>`;
    expect(await failureOf(documentOf(bomb))).toMatch(/^document_broken: .*document type declaration/);
    expect(await failureOf(documentOf('<w:document>&lol;</w:document>'))).toMatch(
      /^document_broken: .*entity that XML does not know: &lol;/,
    );
  });

  test.each([
    ['ends early', '<w:document><w:body>'],
    ['closes what is not open', '<w:document></w:body>'],
    ['has a tag that does not end', '<w:document '],
    ['has a comment that does not end', '<w:document><!-- '],
    ['has two roots', '<a/><b/>'],
    ['is nested too deep', `${'<a>'.repeat(500)}${'</a>'.repeat(500)}`],
    ['has nonsense in a tag', '<a b c="1"></a>'],
    ['is empty', ''],
  ])('that %s is broken', async (_, xml) => {
    expect(await failureOf(documentOf(xml))).toMatch(/^document_broken: word\/document\.xml (ends|closes|has|is) /);
  });

  test('that is not UTF-8 is broken', async () => {
    expect(await failureOf(docxFile({ body: '', documentXml: Buffer.from([0x3c, 0x61, 0xff, 0x3e]) }))).toBe(
      'document_broken: word/document.xml is not UTF-8 text',
    );
  });

  // Below the size from which the limit on ratios counts, so that it is not what stops them.
  test.each([
    ['one character', 'a'],
    ['spaces', ' '],
    ['open tags', '<'],
    ['ampersands', '&'],
    ['quotation marks', '"'],
    ['equals signs', '= '],
  ])(
    'of %s in a tag or a text is read or refused in little time',
    async (_, piece) => {
      const filler = piece.repeat((1024 * 1024) / piece.length);
      const inTag = `<w:document xmlns:w="${WORD}" ${filler}><w:body/></w:document>`;
      const inText = `<w:document xmlns:w="${WORD}"><w:body><w:p><w:r><w:t>x${filler}</w:t></w:r></w:p></w:body></w:document>`;
      for (const xml of [inTag, inText]) expect(await failureOf(documentOf(xml))).toMatch(/^(?:read|document_broken): /);
    },
    20_000,
  );

  test('with control characters, lone halves of characters and noncharacters is read', async () => {
    const { text } = await read({ body: `<w:p><w:r><w:t>a&#1;b&#xFDD0;c&#xD800;d&#xFFFF;e</w:t></w:r></w:p>` });
    expect(text).toBe('ab\ufffdc\ufffdd\ufffde');
  });

  test('may nest tables', async () => {
    let nested = paragraph('inside');
    for (let depth = 0; depth < 60; depth += 1) nested = table([[`${nested}${paragraph('')}`]]);
    expect((await read({ body: nested })).text).toBe('inside');
  });

  test('text that looks like markup stays text', async () => {
    expect((await read({ body: paragraph(run('if a<b & c>d then <script>x</script>')) })).text).toBe(
      'if a<b & c>d then <script>x</script>',
    );
  });
});
