import type { PdfPage } from './pdf-text.ts';
import type { Pdfium } from './pdfium-module.ts';
import type { PageText } from './pdfium-page.ts';
import type { Replacement } from './text-veils.ts';

/** How a page was read where the file gives other words to copy (`ActualText`) than it prints. */
type Wording = PdfPage['wording'];
type Words = Omit<PageText, 'replacements'>;

/**
 * The page as printed, where that differs in letters or digits from the words that the file gives in their place. Those words stay
 * when the printed glyphs stand for no characters. `readAgain` reads the page from its objects anew.
 */
export function asPrinted(
  pdfium: Pdfium,
  { replacements, ...given }: PageText,
  readAgain: () => PageText,
): Words & { readonly wording: Wording } {
  if (replacements.length === 0) return { ...given, wording: 'printed' };
  removeMarks(pdfium, replacements);
  const { replacements: _, ...printed } = readAgain();
  if (lettersOf(printed) === lettersOf(given)) return { ...given, wording: 'printed' };
  return printed.unmapped > given.unmapped ? { ...given, wording: 'given' } : { ...printed, wording: 'not as given' };
}

function removeMarks(pdfium: Pdfium, replacements: readonly Replacement[]): void {
  for (const { object, mark } of replacements) pdfium.FPDFPageObj_RemoveMark(object, mark);
}

function lettersOf({ lines }: Words): string {
  return lines
    .map(({ text }) => text)
    .join('')
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
}
