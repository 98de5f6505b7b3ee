import { verdictOnQuote } from '../evidence-phrases.ts';
import { el, visible } from './dom.ts';
import { fieldsOf } from './logic/fields.ts';
import type { FindingRow } from './logic/findings.ts';
import type { View } from './logic/view.ts';
import { visibleString } from './logic/visible-text.ts';
import { type RowWindow, rowWindow, scrollFor } from './logic/window.ts';
import { placePhrase } from './pane/quote-card.ts';
import { severityChip } from './pane/quote-fields.ts';
import type { Report } from './report.ts';
import type { Walkable } from './table.ts';
import { TONE_SIGNS } from './words.ts';

/** As `.finding` of the style sheet. */
const ROW_HEIGHT = 78;
const TEXT_LENGTH = 400;

/** The findings of all jobs that the filters leave, of which only what is seen is in the page. */
export class FindingList implements Walkable {
  readonly element = el('div', {
    class: 'findings',
    attributes: { role: 'listbox', tabindex: '0', 'aria-label': 'Findings: arrows move, Enter opens' },
  });
  readonly #report: Report;
  readonly #body = el('div', { attributes: { role: 'presentation' } });
  #rows: readonly FindingRow[] = [];
  /** What is said when there is no line. */
  #without = '';
  #active = 0;
  #drawn: RowWindow = { first: 0, last: 0 };
  /** What the drawn lines show. */
  #shown: readonly unknown[] = [];

  constructor(report: Report) {
    this.#report = report;
    this.element.append(this.#body);
    this.element.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this.element);
    this.#body.addEventListener('click', (event) => this.#clicked(event));
  }

  /** `without`: what is said when there is none. */
  show(rows: readonly FindingRow[], view: View, without: string): void {
    this.#rows = rows;
    const open = rows.findIndex((row) => isOpen(row, view));
    this.#active = open >= 0 ? open : Math.min(this.#active, Math.max(0, rows.length - 1));
    this.#without = without;
    this.#draw();
  }

  move(by: number): void {
    this.#active = Math.max(0, Math.min(this.#rows.length - 1, this.#active + by));
    this.element.scrollTop = scrollFor(this.#active, this.element.scrollTop, this.element.clientHeight, ROW_HEIGHT);
    this.#draw();
    if (this.#report.store.view().job !== null) this.#open('same');
  }

  get page(): number {
    return Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 1);
  }

  openActive(): void {
    this.#open('step');
  }

  focus(): void {
    this.element.focus({ preventScroll: true });
  }

  #open(kind: 'step' | 'same'): void {
    const found = this.#rows[this.#active];
    if (found === undefined) return;
    this.#report.store.change({ ...this.#report.store.view(), job: found.row.row.jobId, quote: found.quote.number }, kind);
  }

  #clicked(event: MouseEvent): void {
    const line = event.target instanceof Element ? event.target.closest<HTMLElement>('.finding')?.dataset.line : undefined;
    if (line === undefined) return;
    this.#active = Number(line);
    this.#draw();
    this.#open('step');
  }

  get #window(): RowWindow {
    return rowWindow(this.element.scrollTop, this.element.clientHeight, ROW_HEIGHT, this.#rows.length);
  }

  #scrolled(): void {
    const { first, last } = this.#window;
    if (first !== this.#drawn.first || last !== this.#drawn.last) this.#draw();
  }

  #draw(): void {
    const view = this.#report.store.view();
    this.#drawn = this.#window;
    const { first, last } = this.#drawn;
    const lines = this.#rows.slice(first, last);
    this.#body.style.paddingTop = `${first * ROW_HEIGHT}px`;
    this.#body.style.paddingBottom = `${(this.#rows.length - last) * ROW_HEIGHT}px`;
    // A line that is replaced between press and release loses the click: while jobs are read, nothing is drawn anew that stays.
    const shown = [first, this.#active, view.job, view.quote, this.#without, ...lines];
    if (shown.length === this.#shown.length && shown.every((part, index) => part === this.#shown[index])) return;
    this.#shown = shown;
    const items = lines.map((row, index) => {
      const line = first + index;
      const item = findingItem(row, line === this.#active, isOpen(row, view));
      item.id = `finding-${line}`;
      item.dataset.line = String(line);
      item.setAttribute('aria-posinset', String(line + 1));
      return item;
    });
    const nothing = this.#rows.length === 0 && this.#without !== '' ? [el('p', { class: 'none' }, this.#without)] : items;
    this.#body.replaceChildren(...nothing);
    if (this.#active >= first && this.#active < last) this.element.setAttribute('aria-activedescendant', `finding-${this.#active}`);
    else this.element.removeAttribute('aria-activedescendant');
  }
}

function isOpen({ row, quote }: FindingRow, { job, quote: number }: View): boolean {
  return row.row.jobId === job && quote.number === number;
}

function findingItem({ row, quote }: FindingRow, isActive: boolean, open: boolean): HTMLElement {
  const { finding, tone } = quote;
  const { position } = finding.evidence;
  const { severity, others } = fieldsOf(finding);
  const where = position === null ? '' : ` · ${placePhrase(position, tone === 'rejected')}`;
  const says = others.map(({ name, text }) => `${name}: ${text}`).join(' · ');
  return el(
    'div',
    {
      class: `finding is-${tone}${isActive ? ' is-active' : ''}${open ? ' is-open' : ''}`,
      title: visibleString(row.document),
      attributes: { role: 'option', 'aria-selected': String(isActive) },
    },
    el(
      'div',
      { class: 'finding-head' },
      el('span', { class: 'badge' }, `${TONE_SIGNS[tone]} ${verdictOnQuote(finding)}`),
      severity === null ? null : severityChip(severity),
      el('b', {}, visible(row.name)),
      el('small', {}, `${visibleString(`${row.row.task} · ${row.model}`)}${where}`),
    ),
    el('q', {}, visible(finding.quote.slice(0, TEXT_LENGTH))),
    el('p', {}, visible(says.slice(0, TEXT_LENGTH))),
  );
}
