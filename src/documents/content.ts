import { sha256Hex } from '../domain/canonical-json.ts';
import type { Block, CanonicalText, DocumentFormat, LostPage } from '../domain/document.ts';
import type { Assembled } from './assemble.ts';
import { normaliseCharacters } from './normalise.ts';
import { type Heading, sectionsOf } from './sections.ts';

/** More deleted bidirectional or tag characters than this are no accident of typesetting. */
const HIDDEN_CHARACTERS_TOLERATED = 20;

/** What a format's reader finds in a document. */
export type FormatContent = {
  readonly format: DocumentFormat;
  readonly extractor: string;
  readonly title: string | null;
  readonly assembled: Assembled;
  readonly headings: readonly Heading[];
  /** Default none. */
  readonly blocks?: readonly Block[];
  readonly lostPages?: readonly LostPage[];
  readonly warnings: readonly string[];
};

/** The canonical text that a format's reader found, with hash, nested sections and the warnings that hold for every format. */
export function canonicalTextOf(content: FormatContent): CanonicalText {
  const { text, pages, lines, hiddenCharacters } = content.assembled;
  const hidden = hiddenCharacters > HIDDEN_CHARACTERS_TOLERATED ? [`${hiddenCharacters} hidden characters removed`] : [];
  return {
    format: content.format,
    extractor: content.extractor,
    title: titleOf(content.title),
    text,
    textSha256: sha256Hex(text),
    pages,
    sections: sectionsOf(content.headings, text.length),
    blocks: content.blocks ?? [],
    lostPages: content.lostPages ?? [],
    lines,
    warnings: [...content.warnings, ...hidden],
  };
}

function titleOf(title: string | null): string | null {
  const clean = normaliseCharacters(title ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return clean === '' ? null : clean;
}
