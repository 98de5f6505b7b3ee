/**
 * Whether a text can be what the bytes meant, now that they are read in a guessed encoding. The patterns are what other encodings look
 * like when they are taken for this one: a wrong letter is a wrong word, and a wrong sign a wrong number or unit.
 */
export function isPlausible(text: string, encoding: string): boolean {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  if (WESTERN.test(encoding)) return !MISTAKEN_FOR_WESTERN.some((pattern) => pattern.test(sample));
  if (encoding === 'windows-1251') return isPlausibleCyrillic(sample);
  if (CHINESE.test(encoding)) return shareOf(sample, COMMON_HAN, HAN) >= LEAST_COMMON_HAN;
  if (JAPANESE.test(encoding)) return shareOf(sample, KANA, HAN_AND_KANA) >= LEAST_KANA;
  return true;
}

const SAMPLE_CHARACTERS = 65_536;

const WESTERN = /^(?:windows-1252|iso-8859-1|iso-8859-15)$/;
const MISTAKEN_FOR_WESTERN: readonly RegExp[] = [
  // DOS: µ, ±, ° are æ, ñ, ø, alone, or beside a digit or the letter of a unit; é and others are signs within words.
  /(?<![\p{L}\p{M}])[æñø](?:[a-zA-Z]{0,2})(?![\p{L}\p{M}])|\d[æñø]/u,
  /\p{L}[‚„†‡ˆ‰‹•˜™›¡¿]\p{Ll}/u,
  // Macintosh: curly quotation marks and dashes are capitals with accents, ° is ¡, é is Ž.
  /\p{L}[ÐÒÓÔÕ]\p{Ll}|\p{Ll}[ŽŠŸ]\p{Ll}|(?<![\p{L}\p{M}])[ÐÑ](?![\p{L}\p{M}])|\d ?¡/u,
  // Central European: ř, ě, ů, ň are ø, ì, ù, ò, ő and ű are õ and û, and ľ, š, ł are signs within words.
  /\p{L}[ìò]\p{Ll}|[øùì]\p{Ll}*ì|õ\p{L}*û|û\p{L}*õ|\p{L}[¹²³¼½¾º]\p{Ll}/u,
  // Turkish: ş and ı are þ and ý, within words.
  /\p{Ll}þ|\p{Ll}ý\p{Ll}*[þð]|ð\p{Ll}*ý/u,
];

/** Signs of windows-1251 that stand where a word's capital belongs. */
const CAPITALS_OF_MAC_CYRILLIC = /(?<![\p{L}])[†‡€‰‹‚…ЉЊЌЋЏ](?=\p{Script=Cyrillic})/gu;
const FEW = 2;

/** Opening quotation marks without closing ones are capitals as well. */
function isPlausibleCyrillic(text: string): boolean {
  const opening = text.match(/“(?=\p{Ll})/gu)?.length ?? 0;
  return (text.match(CAPITALS_OF_MAC_CYRILLIC)?.length ?? 0) < FEW && opening <= (text.match(/”/g)?.length ?? 0);
}

const CHINESE = /^(?:big5|gbk|gb18030)$/;
const HAN = /\p{Script=Han}/gu;
/** The most frequent characters, traditional and simplified: together a third of any Chinese text. */
const COMMON_HAN =
  /[的一是不了在人有我他這这個个們们來来到時时大地為为子中你說说生國国年著着就那和要她出也得裡里後后自以會会家可下而過过天去能對对小多然於于心學学麼么之都好看起發发當当沒没成只如事把還还用第樣样道想作種种開开本機机數数據据系統统方法分動动定於於上行中及其與与或者請请電电]/g;
const LEAST_COMMON_HAN = 0.15;

const JAPANESE = /^(?:shift_jis|euc-jp|iso-2022-jp)$/;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const HAN_AND_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const LEAST_KANA = 0.1;

/** Share of some characters among others; 1 where there are none. */
function shareOf(text: string, some: RegExp, all: RegExp): number {
  const total = text.match(all)?.length ?? 0;
  return total === 0 ? 1 : (text.match(some)?.length ?? 0) / total;
}
