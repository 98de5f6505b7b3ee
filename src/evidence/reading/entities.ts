import { type Edit, readingOf } from './reading.ts';

const NAMED: ReadonlyMap<string, string> = new Map(
  (
    'amp=& lt=< gt=> quot=" apos=\' nbsp=\u00a0 ensp=\u2002 emsp=\u2003 thinsp=\u2009 shy=\u00ad lsquo=\u2018 rsquo=\u2019 sbquo=\u201a ' +
    'ldquo=\u201c rdquo=\u201d bdquo=\u201e laquo=« raquo=» lsaquo=\u2039 rsaquo=\u203a ndash=\u2013 mdash=\u2014 hellip=\u2026 minus=\u2212 ' +
    'plusmn=± times=× divide=÷ le=≤ ge=≥ ne=≠ asymp=≈ sim=\u223c deg=° micro=µ middot=· bull=• sect=§ para=¶ copy=© reg=® trade=™ euro=€ ' +
    'pound=£ cent=¢ yen=¥ permil=‰ prime=\u2032 Prime=\u2033 frac12=½ frac14=¼ frac34=¾ sup1=¹ sup2=² sup3=³ infin=∞ rarr=→ larr=← ' +
    'alpha=α beta=β gamma=γ delta=δ Delta=Δ epsilon=ε lambda=λ mu=μ pi=π sigma=σ Sigma=Σ omega=ω Omega=Ω auml=ä ouml=ö uuml=ü Auml=Ä ' +
    'Ouml=Ö Uuml=Ü szlig=ß eacute=é egrave=è ecirc=ê agrave=à aacute=á acirc=â ccedil=ç ntilde=ñ oacute=ó ocirc=ô iacute=í uacute=ú'
  )
    .split(' ')
    .flatMap((pair): [string, string][] => {
      const [name, character] = pair.split('=', 2);
      return name === undefined || character === undefined ? [] : [[name, character]];
    }),
);
/** Numbers that mean the characters of windows-1252, as browsers read them. */
const WINDOWS_1252: ReadonlyMap<number, string> = new Map([
  [128, '€'],
  [133, '\u2026'],
  [145, '\u2018'],
  [146, '\u2019'],
  [147, '\u201c'],
  [148, '\u201d'],
  [149, '•'],
  [150, '\u2013'],
  [151, '\u2014'],
  [153, '™'],
]);
const LAST_CODE_POINT = 0x10ffff;
/** Code in backticks is read as it stands. */
const CODE_OR_ENTITY = /`[^`\n]{1,200}`|&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}\d{0,2}));/g;
/** Marks of Markdown: as an entity they are none. */
const MARK = /^[*_`\\]$/;

/** The entities of HTML in a text, outside of code. */
export function entityEdits(text: string): Edit[] {
  if (!text.includes('&')) return [];
  const edits: Edit[] = [];
  for (const match of text.matchAll(CODE_OR_ENTITY)) {
    const character = characterOf(match[1], match[2], match[3]);
    if (character !== null && !MARK.test(character))
      edits.push({ start: match.index, end: match.index + match[0].length, text: character });
  }
  return edits;
}

/** The text with the characters that its entities stand for. */
export function withoutEntities(text: string): string {
  return readingOf(text, entityEdits(text)).text;
}

function characterOf(decimal: string | undefined, hex: string | undefined, name: string | undefined): string | null {
  if (name !== undefined) return NAMED.get(name) ?? null;
  if (decimal === undefined && hex === undefined) return null;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  if (isControl || code > LAST_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)) return WINDOWS_1252.get(code) ?? null;
  return String.fromCodePoint(code);
}
