import { searchedPhrase } from '../../evidence-phrases.ts';
import { grouped } from '../../phrases.ts';
import { button, el, visible } from '../dom.ts';
import type { AbsenceEntry, QuoteEntry } from '../logic/quotes.ts';
import { visibleString } from '../logic/visible-text.ts';
import { toneLegend } from '../words.ts';
import { quoteCard } from './quote-card.ts';

/** Cards drawn at first, and more with each click. */
const CARDS_SHOWN = 50;

/** The quotes that were rejected, each with its reason, apart and first; then those that stand; then claims that no quote can prove. */
export function evidenceSection(
  quotes: readonly QuoteEntry[],
  absences: readonly AbsenceEntry[],
  onShow: ((quote: QuoteEntry) => void) | null,
): HTMLElement | null {
  if (quotes.length === 0 && absences.length === 0) return null;
  const rejected = quotes.filter(({ tone }) => tone === 'rejected');
  const standing = quotes.filter(({ tone }) => tone !== 'rejected');
  return el(
    'section',
    { class: 'evidence' },
    quotes.length === 0 ? null : el('p', { class: 'remark legend' }, toneLegend()),
    cardList('Rejected quotes', rejected, (quote) => quoteCard(quote, onShow)),
    cardList('Found in the document', standing, (quote) => quoteCard(quote, onShow)),
    cardList('Said not to be in the document', absences, absenceCard),
  );
}

function cardList<T>(title: string, entries: readonly T[], card: (entry: T) => HTMLElement): HTMLElement | null {
  if (entries.length === 0) return null;
  const list = el('ul', { class: 'quotes' });
  const draw = (from: number): void => {
    const to = from + CARDS_SHOWN;
    list.append(...entries.slice(from, to).map(card));
    if (to >= entries.length) return;
    const more = button({ class: 'more' }, `${grouped(entries.length - to)} more`);
    more.addEventListener('click', () => {
      more.remove();
      draw(to);
    });
    list.append(more);
  };
  draw(0);
  return el('div', {}, el('h3', {}, `${title} (${grouped(entries.length)})`), list);
}

function absenceCard({ check, absence }: AbsenceEntry): HTMLElement {
  return el(
    'li',
    { class: 'quote is-absent' },
    el(
      'div',
      { class: 'quote-head' },
      el('b', {}, `searched: ${searchedPhrase(absence, visibleString)}`),
      el('small', {}, visible(`${check} ${absence.at}`)),
    ),
  );
}
