import type { ReportDocument } from '../../html/report-data.ts';
import { counted, grouped } from '../../phrases.ts';
import { button, cutText, el, visible } from '../dom.ts';
import { type Mark, marksOf, type Segment, segmentsOf } from '../logic/highlight.ts';
import { type DocumentLine, foldLines, lineAt, linesOf } from '../logic/lines.ts';
import type { QuoteEntry } from '../logic/quotes.ts';
import { TONE_SIGNS } from '../words.ts';

/** Lines that one click unfolds. */
const LINES_MORE = 400;
/** Longer stretches without a quote are cut. */
const PLAIN_LENGTH = 4000;

/** The document's text with line numbers, every quote marked where it stands. */
export class DocumentText {
  readonly element = el('div', { class: 'text', attributes: { role: 'region', 'aria-label': 'Text of the document', tabindex: '0' } });
  readonly #marks: readonly Mark[];
  readonly #tones: ReadonlyMap<number, QuoteEntry>;
  readonly #folds: { readonly lines: readonly DocumentLine[]; readonly open: (line: number) => void }[] = [];
  #current = -1;

  constructor(document: ReportDocument, characters: number | null, quotes: readonly QuoteEntry[]) {
    this.#marks = marksOf(quotes);
    this.#tones = new Map(quotes.map((quote) => [quote.number, quote]));
    let end = 0;
    for (const excerpt of document.excerpts) {
      if (excerpt.start > end) this.element.append(gap(excerpt.start - end));
      this.#drawExcerpt(linesOf(excerpt));
      end = excerpt.start + excerpt.text.length;
    }
    if (characters !== null && characters > end) this.element.append(gap(characters - end));
  }

  /** Numbers of the marks there are to walk through. */
  get marks(): number {
    return this.#marks.length;
  }

  /** The next mark, or the one before; returns its place, from 1. */
  step(by: number): number {
    if (this.#marks.length === 0) return 0;
    this.#current = this.#current < 0 && by < 0 ? this.#marks.length - 1 : (this.#current + by + this.#marks.length) % this.#marks.length;
    this.#show();
    return this.#current + 1;
  }

  /** The first mark of a quote. */
  goTo(quote: number): void {
    const index = this.#marks.findIndex((mark) => mark.quote === quote);
    if (index < 0) return;
    this.#current = index;
    this.#show();
  }

  #show(): void {
    const mark = this.#marks[this.#current];
    if (mark === undefined) return;
    for (const { lines, open } of this.#folds) {
      const line = lineAt(lines, mark.start);
      if (line >= 0) open(line);
    }
    for (const other of this.element.querySelectorAll('mark.is-current')) other.classList.remove('is-current');
    const target =
      this.element.querySelector(`mark[data-at="${mark.start}"]`) ?? this.element.querySelector(`mark[data-quotes~="${mark.quote}"]`);
    if (target === null) return;
    for (const part of this.element.querySelectorAll(`mark[data-quotes~="${mark.quote}"]`)) part.classList.add('is-current');
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    target.scrollIntoView({ block: 'center', behavior: isCalm ? 'auto' : 'smooth' });
  }

  #drawExcerpt(lines: readonly DocumentLine[]): void {
    const holder = el('div', { class: 'excerpt' });
    for (const { first, last, folded } of foldLines(lines, this.#marks)) {
      if (folded) this.#fold(holder, lines, first, last);
      else holder.append(...this.#lineElements(lines, first, last));
    }
    this.element.append(holder);
  }

  #lineElements(lines: readonly DocumentLine[], first: number, last: number): Node[] {
    return lines.slice(first, last).flatMap((line, index) => {
      const before = lines[first + index - 1];
      const isNewPage = line.page !== null && line.page !== before?.page;
      return [...(isNewPage ? [el('div', { class: 'page-start' }, `page ${line.page}`)] : []), this.#line(line)];
    });
  }

  #line({ start, end, text, number }: DocumentLine): HTMLElement {
    const parts = segmentsOf(start, end, this.#marks).map((segment) =>
      this.#segment(segment, text.slice(segment.start - start, segment.end - start)),
    );
    const code = el('span', { class: 'code' }, ...parts);
    if (text === '') code.append('\u200b');
    return el(
      'div',
      { class: 'line' },
      el('span', { class: 'line-number', attributes: { 'aria-hidden': 'true' } }, number === null ? '' : String(number)),
      code,
    );
  }

  #segment({ start, quotes, begins, tone }: Segment, text: string): Node {
    if (tone === null) return cutText(text, PLAIN_LENGTH);
    const tags = begins.map((number) => el('sup', { class: 'tag' }, `${TONE_SIGNS[this.#tones.get(number)?.tone ?? tone]}${number}`));
    const mark = el('mark', { class: `is-${tone}` }, ...tags, visible(text));
    mark.dataset.at = String(start);
    mark.dataset.quotes = quotes.join(' ');
    return mark;
  }

  /** Lines folded away behind a button. */
  #fold(holder: HTMLElement, lines: readonly DocumentLine[], first: number, last: number): void {
    let [from, isOpen] = [first, false];
    const start = lines[first]?.number ?? null;
    const range = start === null ? '' : ` (${start}–${lines[last - 1]?.number ?? start})`;
    const toggle = button({ class: 'fold' }, `⋯ show ${counted(last - first, 'line')}${range}`);
    const open = (to: number): void => {
      if (isOpen) return;
      const until = Math.min(last, to);
      toggle.before(...this.#lineElements(lines, from, until));
      from = until;
      isOpen = from >= last;
      if (isOpen) toggle.remove();
      else toggle.textContent = `⋯ ${grouped(last - from)} more lines`;
    };
    toggle.addEventListener('click', () => open(from + LINES_MORE));
    this.#folds.push({ lines, open: (line) => (line >= from && line < last ? open(Math.max(line + 1, from) + LINES_MORE) : undefined) });
    holder.append(toggle);
  }
}

function gap(characters: number): HTMLElement {
  return el('div', { class: 'gap' }, `⋯ ${counted(characters, 'character')} not in this file`);
}
