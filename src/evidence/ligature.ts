import type { EvidenceIndex } from './evidence-index.ts';
import { type Hit, lookUp } from './look-up.ts';
import { CHARACTER, classAt, EXPANSIONS } from './match/characters.ts';
import { squeeze } from './match/match-form.ts';
import { occurrencesOf } from './match/occurrences.ts';

const LIGATURE = /ffi|ffl|ff|fi|fl/g;
const LIGATURE_CHARACTER = /[\ufb00-\ufb04]/g;
const LONGEST_QUOTE = 4_000;

/** A ligature of the quote: offset and length in its match form, and offset in its wording. */
type Ligature = { readonly at: number; readonly length: number; readonly offset: number };

/**
 * Where a PDF has the quote but for ligatures that its font maps to a wrong character: "di!culties" where the quote says "difficulties". A
 * document's word must have exactly one character that is no letter in the place of `ff`, `fi`, `fl`, `ffi` or `ffl`, between letters.
 */
export function withLigatures(index: EvidenceIndex, cleaned: string): readonly Hit[] {
  if (index.content.format !== 'pdf' || cleaned.length > LONGEST_QUOTE) return [];
  const wording = cleaned.replace(LIGATURE_CHARACTER, (character) => EXPANSIONS.get(character.charCodeAt(0)) ?? character);
  const { text, map } = squeeze(wording, null);
  const ligatures = [...text.matchAll(LIGATURE)].flatMap((match): Ligature[] => {
    const offset = map[match.index] ?? 0;
    const isOneWord = (map[match.index + match[0].length - 1] ?? 0) - offset === match[0].length - 1;
    return isOneWord ? [{ at: match.index, length: match[0].length, offset }] : [];
  });
  const repaired = ligatures.length === 0 ? null : asTheDocumentSpells(index, wording, text, ligatures);
  return repaired === null ? [] : lookUp(index, repaired, true).accepted.map((hit) => ({ ...hit, isLiteral: false }));
}

/** The quote with its ligatures as the first place that has the rest spells them; `null` when no place has it, or none is broken. */
function asTheDocumentSpells(
  { form, reading }: EvidenceIndex,
  wording: string,
  quote: string,
  ligatures: readonly Ligature[],
): string | null {
  const document = form.text;
  const anchor = longestStretch(quote, ligatures);
  for (const at of occurrencesOf(document, quote.slice(anchor.start, anchor.end))) {
    const right = walk(
      document,
      at,
      quote,
      anchor.start,
      ligatures.filter((ligature) => ligature.at >= anchor.end),
    );
    const left =
      right === null
        ? null
        : walkBack(
            document,
            at,
            quote,
            anchor.start,
            ligatures.filter((ligature) => ligature.at < anchor.start),
          );
    if (left === null || right === null) continue;
    const spelled = [...left, ...right];
    const characterOf = (unit: number) => reading.text.charAt(form.map[unit] ?? 0);
    if (!isOneFont(quote, spelled, characterOf)) continue;
    if (spelled.some(({ unit }) => unit !== null)) return respelled(wording, spelled, characterOf);
  }
  return null;
}

/** The longest stretch of the quote without a ligature. */
function longestStretch(quote: string, ligatures: readonly Ligature[]): { start: number; end: number } {
  let best = { start: 0, end: ligatures[0]?.at ?? quote.length };
  for (const [i, { at, length }] of ligatures.entries()) {
    const end = ligatures[i + 1]?.at ?? quote.length;
    if (end - at - length > best.end - best.start) best = { start: at + length, end };
  }
  return best;
}

/** A ligature, and the unit of the document's form that stands for it; `null` when the document has the letters. */
type Spelled = Ligature & { readonly unit: number | null };

/** A font maps no two ligatures to one character, and none to what nobody would take for a glyph gone wrong. */
function isOneFont(quote: string, spelled: readonly Spelled[], characterOf: (unit: number) => string): boolean {
  const lettersOf = new Map<string, string>();
  return spelled.every(({ at, length, unit }) => {
    if (unit === null) return true;
    const [sign, letters] = [characterOf(unit), quote.slice(at, at + length)];
    if (WRITTEN.test(sign)) return false;
    const known = lettersOf.get(sign) ?? letters;
    lettersOf.set(sign, known);
    return known === letters;
  });
}

function walk(document: string, from: number, quote: string, start: number, ligatures: readonly Ligature[]): Spelled[] | null {
  const spelled: Spelled[] = [];
  let [d, q] = [from, start];
  for (const ligature of [...ligatures, null]) {
    const stretch = quote.slice(q, ligature?.at ?? quote.length);
    if (!document.startsWith(stretch, d)) return null;
    d += stretch.length;
    if (ligature === null) break;
    const letters = quote.slice(ligature.at, ligature.at + ligature.length);
    const isWhole = document.startsWith(letters, d);
    if (!isWhole && !isBroken(document, d)) return null;
    spelled.push({ ...ligature, unit: isWhole ? null : d });
    d += isWhole ? letters.length : 1;
    q = ligature.at + ligature.length;
  }
  return spelled;
}

function walkBack(document: string, from: number, quote: string, start: number, ligatures: readonly Ligature[]): Spelled[] | null {
  const spelled: Spelled[] = [];
  let [d, q] = [from, start];
  for (const ligature of [...ligatures].reverse()) {
    const stretch = quote.slice(ligature.at + ligature.length, q);
    d -= stretch.length;
    if (d < 0 || !document.startsWith(stretch, d)) return null;
    const letters = quote.slice(ligature.at, ligature.at + ligature.length);
    const isWhole = document.startsWith(letters, d - letters.length);
    if (!isWhole && !isBroken(document, d - 1)) return null;
    spelled.unshift({ ...ligature, unit: isWhole ? null : d - 1 });
    d -= isWhole ? letters.length : 1;
    q = ligature.at;
  }
  const stretch = quote.slice(0, q);
  return d >= stretch.length && document.startsWith(stretch, d - stretch.length) ? spelled : null;
}

/** Signs that writers put between letters themselves: "don't", "a<b", "km/h", "x=y". */
const WRITTEN = /[-'+*/\\<>=|:;.,_~^()[\]{}@&]/;

/** One character between letters that is neither letter nor digit. */
function isBroken(document: string, at: number): boolean {
  const kind = classAt(document, at);
  if (kind === CHARACTER.letter || kind === CHARACTER.digit || kind === CHARACTER.space) return false;
  return classAt(document, at - 1) === CHARACTER.letter && classAt(document, at + 1) === CHARACTER.letter;
}

function respelled(wording: string, spelled: readonly Spelled[], characterOf: (unit: number) => string): string {
  let text = '';
  let from = 0;
  for (const { offset, length, unit } of spelled) {
    if (unit === null) continue;
    text += wording.slice(from, offset) + characterOf(unit);
    from = offset + length;
  }
  return text + wording.slice(from);
}
