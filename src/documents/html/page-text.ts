import { type Element, headingLevel, LINES, PARAGRAPHS } from './elements.ts';
import { type FlowLine, TextFlow } from './flow.ts';
import type { Survey } from './survey.ts';
import { type Visitor, walkVisible } from './walk.ts';

/**
 * Lines of a page: one line per heading, one line per table row with ` | ` between cells, preformatted text as it is, `^` before
 * raised and `_` before lowered text (so that 2⁵ is not read as 25). Text that is struck through is left out: without its line,
 * "MUST <del>NOT</del>" would say the opposite.
 */
export function pageText(survey: Survey): PageText {
  const flow = new TextFlow();
  const writer = new PageWriter(flow, survey.layoutTables);
  walkVisible(survey.content, writer);
  return { lines: flow.finish(), deletedPassages: writer.deletedPassages };
}

type PageText = { readonly lines: readonly FlowLine[]; readonly deletedPassages: number };

class PageWriter implements Visitor {
  deletedPassages = 0;
  readonly #flow: TextFlow;
  readonly #layoutTables: ReadonlySet<Element>;
  /** Per open table: whether its rows hold data, and the cells seen in the open row. */
  readonly #tables: { readonly isData: boolean; cells: number }[] = [];

  constructor(flow: TextFlow, layoutTables: ReadonlySet<Element>) {
    this.#flow = flow;
    this.#layoutTables = layoutTables;
  }

  text(value: string): void {
    this.#flow.text(value);
  }

  enter(element: Element): void {
    const { tagName } = element;
    const level = headingLevel(element);
    if (level !== null) this.#beginHeading(level);
    else if (tagName === 'br') this.#flow.lineBreak();
    else if (tagName === 'sup' || tagName === 'sub') this.#mark(element, tagName === 'sup' ? '^' : '_');
    else if (tagName === 'tr' && this.#tables.at(-1)?.isData) this.#beginRow();
    else if ((tagName === 'td' || tagName === 'th') && this.#tables.at(-1)?.isData) this.#beginCell();
    else this.#edge(tagName);
    if (tagName === 'table') this.#tables.push({ isData: !this.#layoutTables.has(element), cells: 0 });
    if (tagName === 'pre') this.#flow.beginPre();
  }

  deleted(): void {
    this.deletedPassages += 1;
  }

  leave(element: Element): void {
    const { tagName } = element;
    if (tagName === 'pre') this.#flow.endPre();
    if (tagName === 'table') this.#tables.pop();
    if (headingLevel(element) !== null) {
      this.#flow.endFlat();
      this.#flow.paragraphBreak();
    } else if (tagName === 'tr' && this.#tables.at(-1)?.isData) {
      this.#flow.endFlat();
      this.#flow.lineBreak();
    } else if (!((tagName === 'td' || tagName === 'th') && this.#tables.at(-1)?.isData)) {
      this.#edge(tagName);
    }
  }

  #edge(tagName: string): void {
    if (PARAGRAPHS.has(tagName)) this.#flow.paragraphBreak();
    else if (LINES.has(tagName)) this.#flow.lineBreak();
  }

  #beginHeading(level: number): void {
    this.#flow.paragraphBreak();
    this.#flow.beginFlat();
    this.#flow.headingLevel(level);
  }

  #mark(element: Element, mark: string): void {
    if (element.childNodes.length > 0) this.#flow.text(mark);
  }

  #beginRow(): void {
    this.#flow.lineBreak();
    this.#flow.beginFlat();
    const table = this.#tables.at(-1);
    if (table !== undefined) table.cells = 0;
  }

  #beginCell(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    if (table.cells > 0) this.#flow.text(' | ');
    table.cells += 1;
  }
}
