import { BlockRecorder, type LineBlock } from './block-recorder.ts';
import { attribute, type Element, headingAnchor, headingLevel, LINES, PARAGRAPHS } from './elements.ts';
import { type FlowLine, TextFlow } from './flow.ts';
import { ListNumbers } from './list-numbers.ts';
import { mathText } from './math.ts';
import { OpenTable } from './open-table.ts';
import type { Style } from './style-sheet.ts';
import type { Survey } from './survey.ts';
import { hidesAll } from './visibility.ts';
import { type Visitor, walkVisible } from './walk.ts';

/**
 * Lines of a page: one line per heading, one line per table row with ` | ` between cells, preformatted text as it is, `^` before
 * raised and `_` before lowered text (so that 2⁵ is not read as 25), formulas on one line, numbers of lists written out. Text that is
 * struck through is left out: without its line, "MUST <del>NOT</del>" would say the opposite. So is what nobody sees.
 */
export function pageText(survey: Survey): PageText {
  const writer = new PageWriter(survey);
  walkVisible(survey.content, writer);
  return { lines: writer.finish(), blocks: writer.blocks.blocks, left: writer.left };
}

/** How many passages were left out. */
export type LeftOut = { readonly deleted: number; readonly hidden: number };
type PageText = { readonly lines: readonly FlowLine[]; readonly blocks: readonly LineBlock[]; readonly left: LeftOut };

const LISTS: ReadonlySet<string> = new Set(['ol', 'ul', 'menu']);
/** By their style, and by what they are: raised and lowered text. */
const SHIFTS: ReadonlyMap<string, string> = new Map([
  ['sup', '^'],
  ['super', '^'],
  ['sub', '_'],
]);

class PageWriter implements Visitor {
  readonly left = { deleted: 0, hidden: 0 };
  readonly blocks = new BlockRecorder();
  readonly #survey: Survey;
  readonly #flow = new TextFlow();
  readonly #tables: OpenTable[] = [];
  readonly #lists = new ListNumbers();
  /** Open rows of data: inside, everything is one line. */
  #rowDepth = 0;
  #quoteDepth = 0;

  constructor(survey: Survey) {
    this.#survey = survey;
  }

  finish(): readonly FlowLine[] {
    return this.#flow.finish();
  }

  text(value: string): void {
    this.#flow.text(value);
  }

  math(element: Element): void {
    const isBlock = attribute(element, 'display') === 'block';
    const { sheet } = this.#survey.content;
    if (isBlock) this.#flow.lineBreak();
    this.#flow.text(mathText(element, (part) => this.#isShown(part, sheet.styleOf(part))));
    if (isBlock) this.#flow.lineBreak();
  }

  deleted(): void {
    this.left.deleted += 1;
  }

  hidden(): void {
    this.left.hidden += 1;
  }

  enter(element: Element, style: Style): void {
    const { tagName } = element;
    if (tagName === 'tr' && this.#isInTable) this.#beginRow();
    else if (isCell(element) && this.#isInTable) this.#beginCell(element);
    else this.#beginBlock(element);
    if (tagName === 'table') this.#beginTable(element);
    else if (tagName === 'thead') this.#inHead(true);
    else if (tagName === 'pre') this.#beginPre();
    else if (LISTS.has(tagName)) this.#lists.enter(element, style);
    else if (tagName === 'li') this.#flow.prefix(this.#lists.label(element));
    this.#sign(element, style);
  }

  leave(element: Element): void {
    const { tagName } = element;
    if (tagName === 'pre') this.#endPre();
    else if (tagName === 'table') this.#endTable();
    else if (tagName === 'thead' || tagName === 'tbody' || tagName === 'tfoot') this.#inHead(false);
    else if (LISTS.has(tagName)) this.#lists.leave();
    else if (tagName === 'li') this.#flow.dropPrefix();
    else if (tagName === 'rt') this.#flow.text(')');
    else if (tagName === 'q') this.#endQuote();
    if (tagName === 'tr' && this.#isInTable) this.#endRow();
    else if (!(isCell(element) && this.#isInTable)) this.#endBlock(element);
  }

  #isShown(element: Element, style: Style): boolean {
    const isHidden = hidesAll(element, style);
    if (isHidden) this.left.hidden += 1;
    return !isHidden;
  }

  /** Whether rows and cells are those of a table that is written as one: of data, or inside a row of data. */
  get #isInTable(): boolean {
    return this.#tables.at(-1)?.isData === true || this.#rowDepth > 0;
  }

  #beginBlock(element: Element): void {
    const level = headingLevel(element);
    if (level === null) this.#edge(element.tagName);
    else if (this.#rowDepth > 0) this.#flow.lineBreak();
    else this.#beginHeading(level, headingAnchor(element));
  }

  #endBlock(element: Element): void {
    if (headingLevel(element) === null) this.#edge(element.tagName);
    else if (this.#rowDepth > 0) this.#flow.lineBreak();
    else {
      this.#flow.endFlat();
      this.#flow.paragraphBreak();
    }
  }

  #edge(tagName: string): void {
    if (PARAGRAPHS.has(tagName)) this.#flow.paragraphBreak();
    else if (LINES.has(tagName) || tagName === 'br') this.#flow.lineBreak();
  }

  #beginHeading(level: number, anchor: string | null): void {
    this.#flow.paragraphBreak();
    this.#flow.beginFlat();
    this.#flow.heading(level, anchor);
  }

  /** Signs that the page shows by the place or look of its words. */
  #sign(element: Element, style: Style): void {
    const { tagName } = element;
    if (tagName === 'rt') this.#flow.text('(');
    if (tagName === 'q') this.#beginQuote();
    const shift = SHIFTS.get(tagName) ?? SHIFTS.get(style.get('vertical-align') ?? '');
    if (shift !== undefined && element.childNodes.length > 0) this.#flow.text(shift);
  }

  #beginQuote(): void {
    this.#flow.text(this.#quoteDepth % 2 === 0 ? '“' : '‘');
    this.#quoteDepth += 1;
  }

  #endQuote(): void {
    this.#quoteDepth -= 1;
    this.#flow.text(this.#quoteDepth % 2 === 0 ? '”' : '’');
  }

  #beginRow(): void {
    const table = this.#tables.at(-1);
    if (this.#rowDepth > 0 && table?.isData === false) this.#flow.textBehind(table.rows > 0 ? '; ' : ' ');
    table?.beginRow();
    this.#flow.lineBreak();
    this.#flow.beginFlat();
    this.#rowDepth += 1;
  }

  #endRow(): void {
    const table = this.#tables.at(-1);
    const bars = table?.endRow() ?? 0;
    if (table?.isData === true) this.#flow.text(' | '.repeat(bars));
    this.#rowDepth -= 1;
    this.#flow.endFlat();
    this.#flow.lineBreak();
    if (table?.isData === true) this.blocks.row(table.isHeaderRow, this.#flow.lineCount);
  }

  #beginCell(cell: Element): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const bars = table.beginCell(cell);
    if (table.isData) this.#flow.text(' | '.repeat(bars));
    else if (!table.isFirstCell) this.#flow.textBehind(', ');
  }

  /** A table inside a row of data is no table of its own: its rows stand in the cell, `a, b; c, d`. */
  #beginTable(element: Element): void {
    const isData = this.#rowDepth === 0 && !this.#survey.layoutTables.has(element);
    this.#tables.push(new OpenTable(isData));
    if (isData) this.blocks.begin('table', this.#flow.lineCount);
  }

  #endTable(): void {
    if (this.#tables.pop()?.isData !== true) return;
    this.#flow.lineBreak();
    this.blocks.end(this.#flow.lineCount);
  }

  #inHead(isHead: boolean): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    table.isHead = isHead;
    table.endGroup();
  }

  #beginPre(): void {
    this.blocks.begin('listing', this.#flow.lineCount);
    this.#flow.beginPre();
  }

  #endPre(): void {
    this.#flow.endPre();
    this.#flow.lineBreak();
    this.blocks.end(this.#flow.lineCount);
  }
}

function isCell({ tagName }: Element): boolean {
  return tagName === 'td' || tagName === 'th';
}
