import type { Element } from './elements.ts';
import { attribute } from './elements.ts';

/** Wider cells are filled no further, and only so many columns can reach into the rows below: else 5 MB could become gigabytes. */
const WIDEST_CELL = 32;
const CARRIED_COLUMNS = 16;
const MOST_ROWS = 65_534;

/** Where the rows of a table stand. Cells that span several columns or rows leave empty ones, so that columns keep their places. */
export class OpenTable {
  readonly isData: boolean;
  /** In the header by `<thead>`. */
  isHead = false;
  rows = 0;
  #cells = 0;
  #headers = 0;
  /** Column of the next cell, and bars written in this row. */
  #column = 0;
  #bars = 0;
  /** By column, how many rows below are still covered from above. */
  readonly #covered: number[] = [];

  constructor(isData: boolean) {
    this.isData = isData;
  }

  beginRow(): void {
    this.rows += 1;
    this.#cells = 0;
    this.#headers = 0;
    this.#column = 0;
    this.#bars = 0;
  }

  /** How many bars stand before the cell that begins. */
  beginCell(cell: Element): number {
    this.#skipCovered();
    const bars = this.#column - this.#bars;
    this.#bars = this.#column;
    this.#cells += 1;
    if (cell.tagName === 'th') this.#headers += 1;
    this.#cover(this.#column, spanOf(cell, 'colspan', WIDEST_CELL), spanOf(cell, 'rowspan', MOST_ROWS));
    return bars;
  }

  /** How many bars stand behind the last cell. */
  endRow(): number {
    const bars = Math.max(0, this.#column - 1 - this.#bars);
    for (let column = this.#column; column < this.#covered.length; column += 1) this.#uncover(column);
    return bars;
  }

  /** Cells do not reach from the header or body into the next. */
  endGroup(): void {
    this.#covered.length = 0;
  }

  get isFirstCell(): boolean {
    return this.#cells === 1;
  }

  /** Whether the row that ends is one of the header. */
  get isHeaderRow(): boolean {
    return this.isHead || this.#headers === this.#cells;
  }

  #skipCovered(): void {
    while ((this.#covered[this.#column] ?? 0) > 0) {
      this.#uncover(this.#column);
      this.#column += 1;
    }
  }

  #uncover(column: number): void {
    this.#covered[column] = Math.max(0, (this.#covered[column] ?? 0) - 1);
  }

  #cover(from: number, columns: number, rows: number): void {
    for (let column = from; column < Math.min(from + columns, CARRIED_COLUMNS); column += 1) {
      while (this.#covered.length < column) this.#covered.push(0);
      this.#covered[column] = rows - 1;
    }
    this.#column = from + columns;
  }
}

function spanOf(cell: Element, name: string, most: number): number {
  const stated = /^\s*(\d{1,6})/.exec(attribute(cell, name) ?? '')?.[1];
  if (name === 'rowspan' && stated !== undefined && Number(stated) === 0) return most;
  return Math.min(most, Math.max(1, Number(stated ?? 1)));
}
