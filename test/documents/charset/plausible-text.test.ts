import { expect, test } from 'vitest';
import { isPlausible } from '../../../src/documents/charset/plausible-text.ts';

test.each([
  ['windows-1252', 'Die Prüfung dauert 5 µs ± 10 % bei 25 °C – “genug”, sagt François à Málaga. Der Wert liegt über ½.'],
  ['windows-1252', 'Smørrebrød på æblekage, señor; où il va, però non più di così.'],
  ['windows-1252', 'Það er þar sem hún býr.'],
  ['windows-1251', 'Он сказал: „Привет“ – и ушёл… Настройка занимает 5 минут.'],
  ['gb18030', '这个设备在启动的时候不能使用，请等到它完成。'],
  ['big5', '這個設備在啟動的時候不能使用，請等到它完成。'],
  ['shift_jis', 'この装置は起動中に使用できません。'],
  ['koi8-r', 'Какой-то текст.'],
])('%s: %s', (encoding, text) => {
  expect(isPlausible(text, encoding)).toBe(true);
});

test.each([
  ['windows-1252', 'It takes 5 æs ñ 10 % at 25 øC.', 'DOS'],
  ['windows-1252', 'It doesnÕt start at 25 ¡C Ð ever.', 'Macintosh'],
  ['windows-1252', 'The unit (øízení musí odpovìdìt) answers.', 'Czech'],
  ['windows-1252', 'The word ¿ó³ty is Polish.', 'Polish'],
  ['windows-1252', 'Le syst‚me r‚pond.', 'DOS French'],
  ['windows-1252', 'LÕappareil doit rŽpondre.', 'Macintosh French'],
  ['windows-1251', '“стройство должно отвечать. ”то требование.'.replace('”', '…'), 'Macintosh Cyrillic'],
  ['windows-1252', 'The word ûrõ is Hungarian.', 'Hungarian'],
  ['windows-1252', 'The word baþlangýç is Turkish.', 'Turkish'],
  ['windows-1251', '‚ыберите режим. Љонец работы. ‡апустите †ему.', 'Macintosh Cyrillic'],
  ['big5', '阹說籀黖齞鬙籫籥欔', 'Thai'],
  ['shift_jis', '亜唖娃阿哀愛挨姶逢葵茜穐悪握', 'no Japanese without kana'],
])('%s is not believed: %s (%s)', (encoding, text) => {
  expect(isPlausible(text, encoding)).toBe(false);
});
