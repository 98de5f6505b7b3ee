import { describe, expect, test } from 'vitest';
import { decodeText, looksBinary } from '../../src/documents/decode.ts';

const PLAIN = { charset: null, html: false };
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('the text of bytes', () => {
  test('valid UTF-8 wins over a stated windows-1252, so that one setting can serve a mixed folder', () => {
    expect(decodeText(Buffer.from('5 µs – “fast”'), { charset: 'windows-1252', html: false }).text).toBe('5 µs – “fast”');
  });

  test('a byte-order mark decides and is dropped', () => {
    expect(decodeText(Buffer.from('\ufeffabc'), PLAIN).text).toBe('abc');
    expect(decodeText(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16le('a€b')]), PLAIN).text).toBe('a€b');
    expect(decodeText(Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be('a€b')]), PLAIN).text).toBe('a€b');
  });

  test('a byte-order mark that lies is corrected with a warning', () => {
    const lying = Buffer.concat([Buffer.from([0xfe, 0xff]), utf16le('plain words')]);
    expect(decodeText(lying, PLAIN)).toEqual({
      text: 'plain words',
      warnings: ['the byte-order mark says utf-16be, the text is utf-16le'],
    });
  });

  test('windows-1252 is not Latin-1: the range 0x80 to 0x9F has its signs', () => {
    expect(decodeText(Buffer.from([0x80, 0x93, 0xe9, 0x94]), { charset: 'windows-1252', html: false }).text).toBe('€“é”');
    expect(decodeText(Buffer.from([0x80]), { charset: 'iso-8859-1', html: false }).text).toBe('€');
  });

  test('a stated charset decodes what is not UTF-8', () => {
    expect(decodeText(Buffer.from([0x83, 0x52, 0x83, 0x93]), { charset: 'Shift_JIS', html: false }).text).toBe('コン');
  });

  test('a stated charset that looks like UTF-8 is believed', () => {
    expect(decodeText(Buffer.from([0x1b, 0x24, 0x42, 0x24, 0x22, 0x1b, 0x28, 0x42]), { charset: 'iso-2022-jp', html: false }).text).toBe(
      'あ',
    );
    expect(decodeText(utf16le('ab'), { charset: 'utf-16le', html: false }).text).toBe('ab');
  });

  test.each(['<meta charset="iso-8859-2">', '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">'])(
    'HTML may declare its charset itself: %s',
    (meta) => {
      const bytes = Buffer.concat([Buffer.from(meta), Buffer.from([0xb1])]);
      expect(decodeText(bytes, { charset: null, html: true }).text).toBe(`${meta}ą`);
    },
  );
});

describe('bytes without a known charset are refused', () => {
  test.each([
    ['a lone lead byte', [0x61, 0x62, 0xed, 0x0a], 'byte 0xED at offset 2'],
    ['a continuation byte', [0x61, 0x80], 'byte 0x80 at offset 1'],
    ['an overlong form', [0xc3, 0xa9, 0xc0, 0xaf], 'byte 0xC0 at offset 2'],
    ['a surrogate', [0xed, 0xa0, 0x80], 'byte 0xED at offset 0'],
    ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80], 'byte 0xF4 at offset 0'],
    ['a sequence cut short at the end', [0x61, 0xf0, 0x9f, 0x98], 'byte 0xF0 at offset 1'],
  ])('%s is named with its offset and the way out', (_, bytes, expected) => {
    const decode = () => decodeText(Uint8Array.from(bytes), PLAIN);
    expect(decode).toThrow(new RegExp(`^${expected} is not valid UTF-8; .*set .*"charset"`));
  });

  test('windows-1252 is proposed for a text in Latin letters', () => {
    const text = 'Die Größe \u201eN\u201c ist für jede Anschlußstelle gleich groß, und das Gerät läßt sich öffnen.';
    const bytes = Buffer.from(text.replaceAll('\u201e', '\x84').replaceAll('\u201c', '\x93'), 'latin1');
    expect(() => decodeText(bytes, PLAIN)).toThrow('if that is its encoding, set "charset": "windows-1252" for it in the manifest');
  });

  test.each([
    ['Shift_JIS', 'この仕様は', '82b182cc8e64976c82cd'],
    [
      'Shift_JIS in an English text',
      'The timer. 注意、再起動',
      '5468652074696d65722e206c6f6e67206c6f6e67206c6f6e67206c6f6e67206c6f6e67206c6f6e6720928d88d38141',
    ],
    [
      'EUC-KR in an English text',
      'The timer … 사양',
      '5468652074696d65722e206c6f6e67206c6f6e67206c6f6e67206c6f6e67206c6f6e67206c6f6e6720bbe7bee7',
    ],
    ['windows-1251', 'Требования', 'd2f0e5e1eee2e0ede8ff'],
    ['GB18030', '规范', 'b9e6b7b6'],
  ])('windows-1252, which would decode it to garbage, is not proposed for %s (%s)', (_, _text, hex) => {
    const decode = () => decodeText(Buffer.from(hex, 'hex'), PLAIN);
    expect(decode).toThrow('set the "charset" in which it was written');
    expect(decode).not.toThrow('windows-1252');
  });

  test('bytes that break a stated charset are refused', () => {
    expect(() => decodeText(Uint8Array.from([0x83, 0xff]), { charset: 'shift_jis', html: false })).toThrow('not valid shift_jis');
  });

  test('an unknown charset is named', () => {
    expect(() => decodeText(Uint8Array.from([0x61]), { charset: 'latin-9000', html: false })).toThrow(
      '"latin-9000" is not a known charset',
    );
  });
});

test('NUL bytes make a file binary, unless UTF-16 explains them', () => {
  expect(looksBinary(Uint8Array.from([0x61, 0, 0x62]), null)).toBe(true);
  expect(looksBinary(Uint8Array.from([0x61, 0, 0x62]), 'windows-1252')).toBe(true);
  expect(looksBinary(utf16le('ab'), 'utf-16le')).toBe(false);
  expect(looksBinary(Uint8Array.from([0xff, 0xfe, 0x61, 0]), null)).toBe(false);
  expect(looksBinary(Uint8Array.from([0x61, 0x62]), null)).toBe(false);
});
