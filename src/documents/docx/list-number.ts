const ROMAN: readonly (readonly [value: number, letters: string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];
/** Beyond, Roman numerals have no letters, and repeated ones make long lines. */
const MAX_ROMAN = 3999;
const MAX_LETTER = 26 * 20;

const KNOWN: ReadonlySet<string> = new Set(
  'none bullet decimal decimalZero upperLetter lowerLetter upperRoman lowerRoman ordinal'.split(' '),
);

/** Whether `listNumber` writes the format as Word does. */
export function isKnownFormat(format: string): boolean {
  return KNOWN.has(format);
}

/** A number of a list as Word writes it in one of its formats; plain digits where the format is not known here. */
export function listNumber(value: number, format: string): string {
  switch (format) {
    case 'none':
      return '';
    case 'decimalZero':
      return value < 10 ? `0${value}` : String(value);
    case 'upperLetter':
      return letters(value);
    case 'lowerLetter':
      return letters(value).toLowerCase();
    case 'upperRoman':
      return roman(value);
    case 'lowerRoman':
      return roman(value).toLowerCase();
    case 'ordinal':
      return ordinal(value);
    default:
      return String(value);
  }
}

/** A … Z, then AA, BB …: Word repeats the letter. */
function letters(value: number): string {
  if (value < 1 || value > MAX_LETTER) return String(value);
  return String.fromCharCode(0x41 + ((value - 1) % 26)).repeat(Math.floor((value - 1) / 26) + 1);
}

function roman(value: number): string {
  if (value < 1 || value > MAX_ROMAN) return String(value);
  let rest = value;
  let text = '';
  for (const [worth, sign] of ROMAN) {
    while (rest >= worth) {
      text += sign;
      rest -= worth;
    }
  }
  return text;
}

function ordinal(value: number): string {
  const isTeen = Math.floor(value / 10) % 10 === 1;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}
