import { APOSTROPHE_CLASS, HYPHEN_CLASS as HYPHEN } from '../match/characters.ts';
import { isUnit, NUMBER_WORDS, SPACELESS_CLASS } from '../words.ts';

const CONTEXT = 40;
const SPACELESS = new RegExp(SPACELESS_CLASS, 'u');
/** What a text may put between a sign and its number: emphasis, the brackets and dollars of TeX, tags of HTML. */
const MARKS = '(?:[*_`~{$\\s]|<\\/?[a-z]{1,10}>)*';
const COMPARATOR =
  '(?:[<>!=]=|=[<>]|[\\u2260\\u2264-\\u2273\\u2a7d\\u2a7e\\u2248~\\u223c\\u2243\\u2245\\u226e\\u226f\\u2272-\\u2281\\u2a85\\u2a86\\uff1c\\uff1e\\uff5e]|(?<!-|<\\/?[a-z][a-z0-9]{0,9})[<>]{1,3})';
const SPELLED_SIGN =
  '\\\\(?:pm|mp|leq?|geq?|leqslant|geqslant|ll|gg|lt|gt|neq?|sim|simeq|approx)|&(?:minus|plusmn|lt|gt|le|ge|ne|asymp|sim);';
const CURRENCY = '(?:\\p{Sc}|\\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|Rs\\.?))';
const WORDED_SIGN =
  '\\b(?:minus|negative|below|above|under|over|than|exceeds?|exceeding|at\\s+(?:least|most)|up\\s+to|about|approximately|around|nearly|almost|' +
  '(?:max(?:imum)?|min(?:imum)?)\\.?(?:\\s+of)?|(?:twice|half|double)(?:\\s+of)?|greater\\s+or\\s+equal|less\\s+or\\s+equal|' +
  'unter|\\u00fcber|h\\u00f6chstens|mindestens|bis\\s+zu|maximal|minimal|etwa|rund|als|(?:moins|plus)\\s+de|au\\s+(?:plus|moins)|environ)\\s';
const GROUPING = `(?:[.,:/\\uff0c\\uff0e\\u2044\\u00b7\\u22c5\\u066b\\u066c\\u202f]|${APOSTROPHE_CLASS})`;
/** Signs that a line may begin with, and those that would be the mark of a list there. */
const OPERATOR = '(?:[\\u00d7\\u00f7\\u2215\\u00b7\\u22c5\\u2219\\u2715\\u2044\\u00b1\\u2213]|\\\\(?:times|cdot|pm))';
const TYPED_OPERATOR = '(?:\\*\\*|\\+\\/-|[x*/+])';
const ELLIPSIS = '(?:\\.{2,3}|\\u2026)';
const BLANK = '[^\\S\\n]*';
const BREAK = `${BLANK}(?:\\n${BLANK})?`;

/** Left of a number: the rest of it, a sign, a comparator, a currency, the first half of a range or product. */
const BEFORE = new RegExp(
  [
    `\\p{N}(?:${GROUPING}|\\{,\\})`,
    '\\^[{(]?',
    '\\\\(?:sqrt|[dt]?frac)(?:\\{[^{}]{0,20}\\})?\\{?',
    `${HYPHEN}${MARKS}`,
    `[+\\uff0b\\u00ac\\u2796\\u00b1\\u2213\\u221a-\\u221c]${MARKS}`,
    `(?:${CURRENCY}|${COMPARATOR}|${SPELLED_SIGN})${MARKS}`,
    `${WORDED_SIGN}${MARKS}`,
    `\\p{N}(?:${BREAK}${OPERATOR}|${BLANK}${TYPED_OPERATOR})${BREAK}`,
    `\\p{N}${BLANK}${ELLIPSIS}${BLANK}`,
    `\\p{N}\\s(?:to|through|thru)\\s`,
  ]
    .map((part) => `(?:${part})$`)
    .join('|'),
  'iu',
);
/** Right of a number: the rest of it, an exponent, a percent sign, a power of ten in words, the second half of a range or product. */
const AFTER = new RegExp(
  `^(?:${[
    `${GROUPING}\\p{N}`,
    '\\^',
    `${BLANK}\\\\?[%\\uff05\\u2030\\u2031]`,
    `${BLANK}\\p{Sc}`,
    '[\\u207a\\u207b\\u2032\\u2033]',
    `${BLANK}[\\u00bc-\\u00be\\u2150-\\u215e]`,
    `${BLANK}E[-+\\u2212]?\\p{N}`,
    `,${BLANK}\\n${BLANK}(?:0\\p{N}{2}|\\p{N}00)(?!\\p{N})`,
    `\\s(?:and\\s+a\\s+(?:half|quarter)|[ap]\\.m\\.|o${APOSTROPHE_CLASS}clock)`,
    `(?:${BLANK}|\\\\[,;:])\\s?\\\\(?:mu|milli|micro|nano|kilo|mega|giga|ohm|Omega|volt|degree|circ|percent)`,
    // "5{,}000" and "SI{5}{\\volt}" of TeX.
    '\\}?\\{(?:,\\}\\p{N}|\\\\)',
    `${BLANK}[\\u00b0\\u2103\\u2109]`,
    '[+\\uff0b]',
    `(?:${BREAK}${OPERATOR}|${BLANK}${TYPED_OPERATOR})${MARKS}\\p{N}`,
    `${HYPHEN}(?:${BLANK}\\n\\s*)?[\\p{L}\\p{N}]`,
    `${BLANK}(?:${HYPHEN}{1,3}\\s*|${ELLIPSIS}${BLANK})\\p{N}`,
    `\\s(?:to|through|thru)\\s+\\p{N}`,
    `\\s(?:hundred|thousand|million|billion|trillion)\\b`,
  ].join('|')})`,
  'iu',
);
/** "10 000": one space may group the digits of a number. */
const DIGIT_GROUP = { before: /(?:^|[^\p{N}.,])\p{N}{1,3}[ \u00a0\u2007\u2009]$/u, at: /^\p{N}{3}(?!\p{N})/u };
const DIGIT_GROUP_NEXT = { at: /(?:^|[^\p{N}.,])\p{N}{1,3}$/u, after: /^[ \u00a0\u2007\u2009]\p{N}{3}(?!\p{N})/u };
/** The mark of an item of a list, and the line that it begins. */
const LIST_MARK = /\n[^\S\n]*[-+*\u2022\u2013][^\S\n]+$/u;
const LIST_LINE = /^[^\S\n]*[-+*\u2022\u2013][^\S\n]/u;
const NEXT_WORD = /^[^\S\n]?\n?[^\S\n]?([\p{L}\u00b0]+)(?![\p{L}\p{N}_])/u;

/** Whether a number that begins with `head` is only the rest of what stands there: "5" of "-5", "− 5", "< 5", "3 x 5", "15'005". */
export function isNumberCutBefore(before: string, head: string): boolean {
  if (/^[.,]/.test(head)) return /\p{N}$/u.test(before);
  if (DIGIT_GROUP.before.test(before) && DIGIT_GROUP.at.test(head)) return true;
  if (endsInListMark(before)) return false;
  return BEFORE.test(before.replace(/[^\S\n]+/g, ' ').slice(-CONTEXT));
}

/** "\n- 5 bytes": the hyphen marks an item, after an empty line, after a sentence, clause or colon, or after another item. */
function endsInListMark(before: string): boolean {
  const mark = LIST_MARK.exec(before);
  if (mark === null) return false;
  const above = before.slice(0, mark.index).trimEnd();
  const gap = before.slice(above.length, mark.index + 1);
  if (above === '' || gap.split('\n').length > 2) return true;
  return /[.:;!?,]$/.test(above) || LIST_LINE.test(above.slice(above.lastIndexOf('\n') + 1));
}

/** Not the end of a sentence. */
const FACTORIAL = /^!\s*[\p{Ll}=+*/)]/u;

/** Whether a number that ends `tail` goes on after it: "5" of "5.2", "5%", "5 x 10", "5 to 8", "5 million", or loses its unit. */
export function isNumberCutAfter(tail: string, after: string): boolean {
  if (DIGIT_GROUP_NEXT.at.test(tail) && DIGIT_GROUP_NEXT.after.test(after)) return true;
  if (AFTER.test(after) || FACTORIAL.test(after)) return true;
  const next = NEXT_WORD.exec(after)?.[1];
  return next !== undefined && next !== 'A' && isCounted(next);
}

/** What a number may count or be measured in, beside the units of `isUnit`. */
const COUNTED =
  /^(?:[kcm]?mol|am|pm|BCE?|kilo|mega|giga|c[mlg]|fF|rpm|psi|m?bar|lbs?|oz|ft|mi|kn|dozen|k|bn|mn|tn|Mio|Mrd|USD|EUR|GBP|CHF|JPY|CNY|INR|dollars?|euros?|cents?|pounds?|per|percent|Prozent|pour|hundred|thousand|(?:m|b|tr)illions?|Million(?:en)?|Milliarden?|years?|months?|weeks?|nights?|inch(?:es)?|feet|foot|yards?|miles?|metres?|meters?|(?:kilo|centi|milli|micro|nano)(?:gram(?:me)?s?|met(?:re|er)s?)|grams?|lit(?:re|er)s?|degrees?|moles?|times|fold|Jahren?|Monaten?|Wochen?|Tagen?|Stunden?|Minuten?|Sekunden?|Meter|ans?|mois|jours|heures)$/u;

function isCounted(word: string): boolean {
  return isUnit(word) || COUNTED.test(word);
}

const NUMBER_AND_UNIT = /\p{N}[^\S\n]?([\p{L}\u00b0%\u2030]{1,12})$/u;
/** "/h", "·s", "⁻¹", " s−1", " per day": the unit goes on. */
const UNIT_GOES_ON = new RegExp(
  `^(?:${BLANK}[/\\u2215\\u2044\\u00b7\\u22c5]${BLANK}\\p{L}|\\^|[\\u207a\\u207b\\u00b2\\u00b3\\u00b9]|${BLANK}\\s\\p{L}{1,3}(?:[\\u2212\\u207b]|\\^\\{?-)\\p{N}|\\s+per\\s)`,
  'iu',
);

/** Whether a number with its unit ends `tail` and the unit goes on after it: "5 km" of "5 km/h", "5 mg" of "5 mg per day". */
export function isUnitCutAfter(tail: string, after: string): boolean {
  const unit = NUMBER_AND_UNIT.exec(tail)?.[1];
  return unit !== undefined && isCounted(unit) && UNIT_GOES_ON.test(after);
}

const SIGN_OF_WORD = new RegExp(
  `(?:${WORDED_SIGN}|\\b(?:hundred|thousand|million|billion)(?:\\s+and)?\\s|\\b(?:twen|thir|for|fif|six|seven|eigh|nine)ty[\\s-])\\s*$`,
  'iu',
);
const MAGNITUDE = /^\s(?:hundred|thousand|million|billion|trillion|dozen)s?\b/iu;

/** Whether a number in words that begins with `head` is only the rest of what stands there: "five" of "minus five", "one hundred five". */
export function isNumberWordCutBefore(before: string, head: string): boolean {
  return isNumberWord(/^\p{L}+/u.exec(head)?.[0]) && SIGN_OF_WORD.test(before.slice(-CONTEXT));
}

/** Whether a number in words that ends `tail` goes on after it: "five" of "five million". */
export function isNumberWordCutAfter(tail: string, after: string): boolean {
  return isNumberWord(/\p{L}+$/u.exec(tail)?.[0]) && MAGNITUDE.test(after);
}

export function isNumberWord(word: string | undefined): boolean {
  return word !== undefined && NUMBER_WORDS.has(word.toLowerCase());
}

const NUMERAL = '[\\p{N}〇零一二三四五六七八九十百千万萬億亿兆両两]';
const NUMERAL_BEFORE = new RegExp(`(?:${NUMERAL}|[負负]|マイナス|[约約超]|至多|最多|至少|最少)$`, 'u');
const NUMERAL_FIRST = new RegExp(`^${NUMERAL}`, 'u');
const NUMERAL_LAST = new RegExp(`${NUMERAL}$`, 'u');
const NUMERAL_AFTER = new RegExp(
  `^\\s?(?:${NUMERAL}|以下|以上|以内|以內|未満|未满|未滿|倍|[％%割]|分の|ボルト|アンペア|ワット|メートル|秒|分|時|时|日|円|元|年|月|伏|安|米|克|度|人|回|台|個|个|歳|岁)`,
  'u',
);

/** The same in Chinese and Japanese, where nothing stands between a number and what is beside it: "5" of "15" or "負五", "15" of "15万円". */
export function isUnspacedNumberCut({ before, head, tail, after }: { before: string; head: string; tail: string; after: string }): boolean {
  const isAtStart = NUMERAL_FIRST.test(head) && NUMERAL_BEFORE.test(before) && /\p{Script=Han}/u.test(before.slice(-1) + head.slice(0, 1));
  const isAtEnd = NUMERAL_LAST.test(tail) && NUMERAL_AFTER.test(after) && SPACELESS.test(tail.slice(-1) + after.trimStart().slice(0, 1));
  return isAtStart || isAtEnd;
}
