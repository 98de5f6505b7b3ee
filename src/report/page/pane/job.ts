import type { ReportDocument } from '../../html/report-data.ts';
import { counted } from '../../phrases.ts';
import { button, el } from '../dom.ts';
import { absencesOf, type QuoteEntry, quotesOf } from '../logic/quotes.ts';
import type { IndexedRow } from '../logic/rows.ts';
import type { Report } from '../report.ts';
import { answerSection } from './answer.ts';
import { attemptsSection } from './attempts.ts';
import { checksSection } from './checks.ts';
import { DocumentText } from './document-text.ts';
import { evidenceSection } from './evidence.ts';
import { jobHead, type PaneActions } from './job-head.ts';
import { stepsSection } from './steps.ts';

export type JobView = {
  readonly element: HTMLElement;
  /** To the next quote in the text, or the one before. */
  readonly step: (by: number) => void;
  /** To a quote: its card, and its place in the text. */
  readonly goTo: (quote: number) => void;
};

/** All that is known of a job. Its block, and the document's, are parsed now. */
export function jobView(report: Report, row: IndexedRow, actions: PaneActions): JobView {
  const job = report.data.job(row.place);
  const document = report.data.document(row.row.document);
  const quotes = quotesOf(job?.scores ?? []);
  const text =
    document === null ? null : new DocumentText(document, report.data.index.documents[row.row.document]?.characters ?? null, quotes);
  const walk = el('span', { class: 'walk-count' });
  const step = (by: number): void => {
    const place = text?.step(by) ?? 0;
    walk.textContent = place === 0 ? '' : `${place} of ${text?.marks ?? 0}`;
  };
  const content =
    job === null
      ? [el('p', { class: 'remark' }, 'The details of this job are not in this file.')]
      : [
          checksSection(job.scores),
          evidenceSection(quotes, absencesOf(job.scores), text === null ? null : ({ number }) => text.goTo(number)),
          documentSection(text, quotes, walk, step, whyNoText(report, document, row)),
          answerSection(job),
          stepsSection(report.data, job, document),
          attemptsSection(job),
        ];
  const element = el('article', { class: 'job', attributes: { 'aria-labelledby': 'job-title' } }, jobHead(report, row, job, actions));
  element.append(...content.filter((part) => part !== null));
  const goTo = (number: number): void => {
    text?.goTo(number);
    showCard(element, number);
  };
  return { element, step, goTo };
}

/** The card is drawn first where a long list holds it back. */
function showCard(element: HTMLElement, number: number): void {
  const find = (): HTMLElement | null => element.querySelector(`[data-quote="${number}"]`);
  for (let more = moreCards(element); find() === null && more !== null; more = moreCards(element)) more.click();
  for (const other of element.querySelectorAll('.quote.is-current')) other.classList.remove('is-current');
  const card = find();
  card?.classList.add('is-current');
  // After the pane that it is drawn into is in the page.
  requestAnimationFrame(() => card?.scrollIntoView({ block: 'center' }));
}

function moreCards(element: HTMLElement): HTMLElement | null {
  return element.querySelector<HTMLElement>('.quotes > .more');
}

function documentSection(
  text: DocumentText | null,
  quotes: readonly QuoteEntry[],
  walk: HTMLElement,
  step: (by: number) => void,
  without: string,
): HTMLElement {
  const head = el('h3', {}, 'Document');
  if (text === null) return el('section', { class: 'document' }, head, el('p', { class: 'remark' }, without));
  const placed = quotes.filter(({ spans }) => spans.length > 0).length;
  const controls = el(
    'div',
    { class: 'walk' },
    head,
    el('small', {}, placed === 0 ? 'no quote stands in it' : `${counted(placed, 'quote')} marked`),
    walk,
    button({ title: 'Previous quote (p)', onClick: () => step(-1) }, '‹ previous'),
    button({ title: 'Next quote (n)', onClick: () => step(1) }, 'next ›'),
  );
  return el('section', { class: 'document' }, controls, text.element);
}

function whyNoText({ data }: Report, document: ReportDocument | null, { row }: IndexedRow): string {
  if (document !== null) return '';
  if (data.index.summary.privacy === 'none') return 'The text of documents is left out: privacy.evidence is "none".';
  if (data.index.documents[row.document]?.error != null) return 'This document could not be read, so there is no text to show.';
  return 'The text of this document is not in this file (see "aieval report --docs").';
}
