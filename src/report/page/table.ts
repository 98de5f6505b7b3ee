import { button, el } from './dom.ts';
import type { IndexedRow } from './logic/rows.ts';
import { ariaSort, COLUMNS, type Column, sortedBy, type View } from './logic/view.ts';
import { type RowWindow, rowWindow, scrollFor } from './logic/window.ts';
import type { Report } from './report.ts';
import { HEADS, tableRow } from './table-row.ts';

const ROW_HEIGHT = 30;
const TALL_ROW_HEIGHT = 50;
/** Below it a job has two lines. */
const NARROW = 860;

/** A list that keys walk through. */
export type Walkable = {
  /** The active line; with a job open, that line's job too. */
  readonly move: (by: number) => void;
  /** Lines that fit, for the keys that turn a page. */
  readonly page: number;
  readonly openActive: () => void;
  readonly focus: () => void;
};

/** A table of any length of which only what is seen is in the page. */
export class JobTable implements Walkable {
  readonly element: HTMLElement;
  readonly #report: Report;
  readonly #table: HTMLTableElement;
  readonly #head: HTMLTableRowElement;
  readonly #body = el('tbody');
  #rows: readonly IndexedRow[] = [];
  #active = 0;
  #rowHeight = ROW_HEIGHT;
  #drawn: RowWindow = { first: 0, last: 0 };

  constructor(report: Report) {
    this.#report = report;
    this.#head = el('tr', { attributes: { 'aria-rowindex': '1' } }, ...COLUMNS.map((column) => headCell(report, column)));
    this.#table = el(
      'table',
      { class: 'jobs', attributes: { role: 'grid', tabindex: '0', 'aria-label': 'Jobs: arrows move, Enter opens' } },
      el('thead', {}, this.#head),
      this.#body,
    );
    this.element = el('div', { class: 'table' }, this.#table);
    this.element.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#fit()).observe(this.element);
    this.#body.addEventListener('click', (event) => this.#clicked(event));
  }

  /** Shows these jobs in this order: from the top when they changed, at the open job where it is among them. */
  show(rows: readonly IndexedRow[], view: View): void {
    const isSame = rows.length === this.#rows.length && rows.every((row, index) => row === this.#rows[index]);
    this.#rows = rows;
    this.#table.setAttribute('aria-rowcount', String(rows.length + 1));
    for (const cell of this.#head.children) markSorted(cell, view);
    const open = view.job === null || rows[this.#active]?.row.jobId === view.job ? this.#active : this.#placeOf(view.job);
    const next = isSame || (view.job !== null && open >= 0) ? Math.max(0, open) : 0;
    const stays = isSame && next === this.#active;
    this.#active = next;
    if (stays) this.#draw();
    else this.#reveal();
  }

  /** The active row; with a job open, that job too. */
  move(by: number): void {
    this.#active = Math.max(0, Math.min(this.#rows.length - 1, this.#active + by));
    this.#reveal();
    if (this.#report.store.view().job !== null) this.#open('same');
  }

  /** Rows that fit, for the keys that turn a page. */
  get page(): number {
    return Math.max(1, Math.floor(this.#viewHeight / this.#rowHeight) - 1);
  }

  openActive(): void {
    this.#open('step');
  }

  focus(): void {
    this.#table.focus({ preventScroll: true });
  }

  #open(kind: 'step' | 'same'): void {
    const row = this.#rows[this.#active];
    if (row !== undefined) this.#report.store.change({ ...this.#report.store.view(), job: row.row.jobId, quote: null }, kind);
  }

  #placeOf(jobId: string): number {
    return this.#rows.findIndex(({ row }) => row.jobId === jobId);
  }

  #clicked(event: MouseEvent): void {
    const line = event.target instanceof Element ? event.target.closest('tr')?.dataset.line : undefined;
    if (line === undefined) return;
    this.#active = Number(line);
    this.#draw();
    this.#open('step');
  }

  get #viewHeight(): number {
    return Math.max(0, this.element.clientHeight - this.#head.offsetHeight);
  }

  #fit(): void {
    this.#rowHeight = this.element.clientWidth < NARROW ? TALL_ROW_HEIGHT : ROW_HEIGHT;
    this.element.classList.toggle('is-narrow', this.#rowHeight === TALL_ROW_HEIGHT);
    this.#draw();
  }

  #scrolled(): void {
    const { first, last } = this.#window;
    if (first !== this.#drawn.first || last !== this.#drawn.last) this.#draw();
  }

  get #window(): RowWindow {
    return rowWindow(this.element.scrollTop, this.#viewHeight, this.#rowHeight, this.#rows.length);
  }

  #reveal(): void {
    this.element.scrollTop = scrollFor(this.#active, this.element.scrollTop, this.#viewHeight, this.#rowHeight);
    this.#draw();
  }

  #draw(): void {
    const count = this.#rows.length;
    const { job } = this.#report.store.view();
    this.#drawn = this.#window;
    const { first, last } = this.#drawn;
    const lines = this.#rows
      .slice(first, last)
      .map((row, index) => tableRow(row, first + index, first + index === this.#active, row.row.jobId === job));
    const content = count === 0 ? [this.#nothing()] : [spacer(first * this.#rowHeight), ...lines, spacer((count - last) * this.#rowHeight)];
    this.#body.replaceChildren(...content);
    if (this.#active >= first && this.#active < last) this.#table.setAttribute('aria-activedescendant', `row-${this.#active}`);
    else this.#table.removeAttribute('aria-activedescendant');
  }

  /** As wide as the columns that have room: more would take it from them. */
  #nothing(): HTMLElement {
    const columns = [...this.#head.children].filter((cell) => cell.getClientRects().length > 0).length;
    const text = this.#report.rows.length === 0 ? 'This run has no job yet.' : 'No job fits these filters.';
    return el('tr', {}, el('td', { class: 'none', attributes: { colspan: String(columns) } }, text));
  }
}

function headCell(report: Report, column: Column): HTMLElement {
  const arrow = el('span', { class: 'arrow', attributes: { 'aria-hidden': 'true' } });
  const sort = button({ onClick: () => report.store.change(sortedBy(report.store.view(), column)) }, HEADS[column], arrow);
  const cell = el('th', { class: `c-${column}`, attributes: { scope: 'col' } }, sort);
  cell.dataset.column = column;
  return cell;
}

function markSorted(cell: Element, { sorting }: View): void {
  if (!(cell instanceof HTMLElement)) return;
  if (cell.dataset.column === sorting.column) cell.setAttribute('aria-sort', ariaSort(sorting));
  else cell.removeAttribute('aria-sort');
}

/** Stands for the rows that are not drawn. */
function spacer(height: number): HTMLElement {
  const element = el('tr', { class: 'spacer', attributes: { 'aria-hidden': 'true' } });
  element.style.height = `${height}px`;
  return element;
}
