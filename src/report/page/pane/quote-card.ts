import type { Position } from '../../../domain/document.ts';
import { documentWords, quoteNotes, verdictOnQuote } from '../../evidence-phrases.ts';
import { button, cutText, el, visible } from '../dom.ts';
import { type ComparedPart, compareWords } from '../logic/compare.ts';
import { fieldsOf } from '../logic/fields.ts';
import type { QuoteEntry } from '../logic/quotes.ts';
import { visibleString } from '../logic/visible-text.ts';
import { TONE_SIGNS } from '../words.ts';
import { fieldList, severityChip } from './quote-fields.ts';

/** Longer quotes are not compared word by word. */
const MOST_COMPARED = 4000;
const QUOTE_LENGTH = 2000;

/** One quote: what it is worth, where it stands, its words, the document's where they differ, and what the model says of it. */
export function quoteCard(quote: QuoteEntry, onShow: ((quote: QuoteEntry) => void) | null): HTMLElement {
  const { number, finding, tone, check } = quote;
  const { position, reason } = finding.evidence;
  const text = documentWords(finding.evidence);
  const { severity } = fieldsOf(finding);
  const where = position === null ? null : placePhrase(position, tone === 'rejected');
  const go = onShow === null || quote.spans.length === 0 ? null : button({ class: 'go', onClick: () => onShow(quote) }, where ?? '', ' ↓');
  const card = el(
    'li',
    { class: `quote is-${tone}`, id: `quote-${number}` },
    el(
      'div',
      { class: 'quote-head' },
      el('span', { class: 'badge' }, `${TONE_SIGNS[tone]} ${number}`),
      severity === null ? null : severityChip(severity),
      el('b', {}, verdictOnQuote(finding)),
      go ?? (where === null ? null : el('span', { class: 'place' }, where)),
      el('small', {}, visible(`${check} ${finding.at}`)),
    ),
    text === null || text === finding.quote
      ? el('blockquote', {}, cutText(finding.quote, QUOTE_LENGTH))
      : sideBySide(finding.quote, text, reason !== 'cut'),
    fieldList(finding),
    ...quoteNotes(finding, (part) => `“${visibleString(part)}”`).map((note) => el('p', { class: 'remark' }, note)),
  );
  card.dataset.quote = String(number);
  return card;
}

/** Page, line and section of a quote. */
export function placePhrase({ page, pageLabel, section, line }: Position, isNearest: boolean): string {
  const label = pageLabel !== null && pageLabel !== String(page) ? ` (printed ${visibleString(pageLabel)})` : '';
  const parts = [...(page === null ? [] : [`page ${page}${label}`]), `line ${line}`, ...(section === null ? [] : [visibleString(section)])];
  return `${isNearest ? 'nearest: ' : ''}${parts.join(', ')}`;
}

/** The model's words and the document's; where they are the same place, with what differs marked. */
function sideBySide(quote: string, document: string, isSame: boolean): HTMLElement {
  const isLong = quote.length > MOST_COMPARED || document.length > MOST_COMPARED;
  const compared = isLong || !isSame ? null : compareWords(quote, document);
  const side = (title: string, text: string, parts: readonly ComparedPart[] | undefined, tag: 'del' | 'ins'): HTMLElement =>
    el(
      'div',
      {},
      el('small', {}, title),
      el(
        'blockquote',
        {},
        ...(parts === undefined
          ? [cutText(text, QUOTE_LENGTH)]
          : parts.map((part) => (part.same ? visible(part.text) : el(tag, {}, visible(part.text))))),
      ),
    );
  return el(
    'div',
    { class: 'sides' },
    side('The answer quotes', quote, compared?.quote, 'del'),
    side('The document says', document, compared?.document, 'ins'),
  );
}
