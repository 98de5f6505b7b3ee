import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodeText } from '../../../src/documents/charset/decode.ts';

const PLAIN = { charset: null, html: false };
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('the text of bytes', () => {
  test('valid UTF-8 wins over a stated windows-1252, so that one setting can serve a mixed folder', async () => {
    expect((await decodeText(Buffer.from('5 µs – “fast”'), { charset: 'windows-1252', html: false })).text).toBe('5 µs – “fast”');
  });

  test('a byte-order mark decides and is dropped', async () => {
    expect((await decodeText(Buffer.from('\ufeffabc'), PLAIN)).text).toBe('abc');
    expect((await decodeText(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16le('a€b')]), PLAIN)).text).toBe('a€b');
    expect((await decodeText(Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be('a€b')]), PLAIN)).text).toBe('a€b');
  });

  test('a byte-order mark that lies is corrected with a warning', async () => {
    const lying = Buffer.concat([Buffer.from([0xfe, 0xff]), utf16le('plain words')]);
    expect(await decodeText(lying, PLAIN)).toEqual({
      text: 'plain words',
      warnings: ['the byte-order mark says utf-16be, the text is utf-16le'],
    });
  });

  test('windows-1252 is not Latin-1: the range 0x80 to 0x9F has its signs', async () => {
    expect((await decodeText(Buffer.from([0x80, 0x93, 0xe9, 0x94]), { charset: 'windows-1252', html: false })).text).toBe('€“é”');
    expect((await decodeText(Buffer.from([0x80]), { charset: 'iso-8859-1', html: false })).text).toBe('€');
  });

  test('a stated charset decodes what is not UTF-8', async () => {
    expect((await decodeText(Buffer.from([0x83, 0x52, 0x83, 0x93]), { charset: 'Shift_JIS', html: false })).text).toBe('コン');
  });

  test('a stated charset that looks like UTF-8 is believed', async () => {
    expect(
      (await decodeText(Buffer.from([0x1b, 0x24, 0x42, 0x24, 0x22, 0x1b, 0x28, 0x42]), { charset: 'iso-2022-jp', html: false })).text,
    ).toBe('あ');
    expect((await decodeText(utf16le('ab'), { charset: 'utf-16le', html: false })).text).toBe('ab');
  });

  test.each(['<meta charset="iso-8859-2">', '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">'])(
    'HTML may declare its charset itself: %s',
    async (meta) => {
      const bytes = Buffer.concat([Buffer.from(meta), Buffer.from([0xb1])]);
      expect((await decodeText(bytes, { charset: null, html: true })).text).toBe(`${meta}ą`);
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
  ])('%s is named with its offset and the way out', async (_, bytes, expected) => {
    await expect(decodeText(Uint8Array.from(bytes), PLAIN)).rejects.toThrow(
      new RegExp(`^${expected} is not valid UTF-8; .*set .*"charset"`),
    );
  });

  test('windows-1252 is proposed for a text in Latin letters that is too short to tell', async () => {
    await expect(decodeText(Buffer.from('caf\u00e9', 'latin1'), PLAIN)).rejects.toThrow(
      'if that is its encoding, set "charset": "windows-1252" for it in the manifest',
    );
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
    ['GB18030', '规范', 'b9e6b7b6'],
  ])('windows-1252, which would decode it to garbage, is not proposed for %s (%s)', async (_, _text, hex) => {
    const decoding = decodeText(Buffer.from(hex, 'hex'), PLAIN);
    await expect(decoding).rejects.toThrow('set the "charset" in which it was written');
    await expect(decoding).rejects.not.toThrow('windows-1252');
  });

  test('bytes that break a stated charset are refused', async () => {
    await expect(decodeText(Uint8Array.from([0x83, 0xff]), { charset: 'shift_jis', html: false })).rejects.toThrow('not valid shift_jis');
  });

  test('an unknown charset is named', async () => {
    await expect(decodeText(Uint8Array.from([0x61]), { charset: 'latin-9000', html: false })).rejects.toThrow(
      '"latin-9000" is not a known charset',
    );
  });
});

const GERMAN = 'Die Größe „N“ ist für jede Anschlußstelle gleich groß, und das Gerät läßt sich öffnen.';
const RUSSIAN = 'Настоящая спецификация определяет протокол обмена между устройством и узлом. Устройство обязано ответить на запрос.';
const KOREAN = '이 규격은 장치와 호스트 사이의 통신 절차를 정의한다. 장치는 요청을 받은 뒤 백 밀리초 안에 응답해야 한다.';
const CHINESE = '本规范定义了设备与主机之间的通信协议。设备在收到请求后必须在一百毫秒内给出应答,否则主机应当重新发送请求。';
const JAPANESE = 'この仕様は装置とホストの間の通信手順を定める。装置は要求を受けてから百ミリ秒以内に応答しなければならない。';
const POLISH =
  'Niniejsza specyfikacja określa protokół łączności między urządzeniem a hostem. Urządzenie musi odpowiedzieć w ciągu stu milisekund.';
const GREEK = 'Η προδιαγραφή ορίζει το πρωτόκολλο επικοινωνίας μεταξύ συσκευής και κεντρικού υπολογιστή.';

describe('an undeclared charset is told by its bytes, and said to be guessed', () => {
  test.each([
    ['windows-1252', GERMAN],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
    ['gb18030', CHINESE],
    ['euc-kr', KOREAN],
    ['koi8-r', RUSSIAN],
    ['windows-1251', RUSSIAN],
    ['iso-8859-5', RUSSIAN],
    ['iso-8859-2', POLISH],
    ['iso-8859-7', GREEK],
  ])('%s', async (encoding, text) => {
    const { text: decoded, warnings } = await decodeText(iconv.encode(text, encoding), PLAIN);
    expect(decoded).toBe(text);
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`^charset guessed: ${encoding} \\(\\d+ % sure; byte 0x.. at offset \\d+ is not valid UTF-8\\)$`)),
    ]);
  });

  test('one foreign line is enough in an English text', async () => {
    const text = `${'The timer counts up.\n'.repeat(5000)}${JAPANESE}\n`;
    expect((await decodeText(iconv.encode(text, 'shift_jis'), PLAIN)).text).toBe(text);
  });

  test('Japanese in seven bits is known by its escapes', async () => {
    const bytes = Buffer.concat([Buffer.from('x '), Buffer.from([0x1b, 0x24, 0x42, 0x24, 0x22, 0x1b, 0x28, 0x42])]);
    expect(await decodeText(bytes, PLAIN)).toEqual({
      text: 'x あ',
      warnings: ['charset guessed: iso-2022-jp, because of its escape sequences'],
    });
  });

  test.each([
    ['<?xml version="1.0" encoding="iso-8859-2"?><a>\u00b1</a>', 'ą'],
    ['\\documentclass{article}\\usepackage[latin9]{inputenc} \u00a4', '€'],
  ])('what the file itself declares is believed: %s', async (text, expected) => {
    const decoded = await decodeText(Buffer.from(text, 'latin1'), PLAIN);
    expect(decoded.text).toContain(expected);
    expect(decoded.warnings).toEqual([]);
  });
});

describe('a few bytes that break UTF-8', () => {
  test('are replaced and named where the rest is plainly UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('“one” – '), Buffer.from([0xed]), Buffer.from(' two')]);
    expect(await decodeText(bytes, PLAIN)).toEqual({
      text: '“one” – \ufffd two',
      warnings: ['not valid UTF-8: byte 0xED at offset 14; replaced by U+FFFD'],
    });
  });

  test('are soft hyphens where they only part words at line ends', async () => {
    const text = 'The Internet Engi\u00ed\nneering docu\u00ed\r\n  ments end.';
    expect(await decodeText(Buffer.from(text, 'latin1'), PLAIN)).toEqual({
      text: text.replaceAll('\u00ed', '\u00ad'),
      warnings: ['not valid UTF-8: byte 0xED at offset 17 and 1 more; read as soft hyphens, because they part words at line ends'],
    });
  });
});

describe('UTF-16 and UTF-32', () => {
  const LINES = `${CHINESE}\n一一一一一一一一一一一一\n`;
  test.each(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
    '%s is known without a mark, in any script, with a warning',
    async (encoding) => {
      for (const text of ['Plain words.\n', LINES, `${RUSSIAN}\n`]) {
        const decoded = await decodeText(iconv.encode(text, encoding, { addBOM: false }), PLAIN);
        expect(decoded).toEqual({ text, warnings: [`no byte-order mark; read as ${encoding}, because of the NUL bytes in it`] });
      }
    },
  );

  test.each(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])('%s with its mark needs no warning', async (encoding) => {
    for (const text of ['ab', LINES, '一一一一一一一一一一']) {
      expect(await decodeText(iconv.encode(`\ufeff${text}`, encoding, { addBOM: false }), PLAIN)).toEqual({ text, warnings: [] });
    }
  });

  test('NUL bytes that neither explains make a file binary', async () => {
    for (const bytes of [
      [0x61, 0, 0x62],
      [0x7f, 0x45, 0, 0x46],
      [0x61, 0, 0, 0x62, 0x63, 0x0a],
    ]) {
      await expect(decodeText(Uint8Array.from(bytes), PLAIN)).rejects.toThrow('it looks like a binary file (it holds NUL bytes)');
    }
  });
});
