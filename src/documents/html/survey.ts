import { attribute, type Element, headingLevel } from './elements.ts';
import { StyleSheet } from './style-sheet.ts';
import { atPageStart } from './visibility.ts';
import { type Start, walkVisible } from './walk.ts';

/** What must be known of a page before its text can be written. */
export type Survey = {
  /** Tables that arrange the page instead of holding data. */
  readonly layoutTables: ReadonlySet<Element>;
  /** The one `<main>` or `<article>` that holds most of the text, else the whole page. */
  readonly content: Start;
  /** Share of the text outside `content`, 0 to 1. */
  readonly outsideShare: number;
};

/** A `<main>` is taken for the document only when it holds more than this share of the text. */
const MAIN_SHARE = 0.6;

/** Looks over a page once. `areTablesData`: a table without a header that holds headings, listings or tables is data too. */
export function surveyPage(root: Element, areTablesData: boolean): Survey {
  const sheet = new StyleSheet(root);
  const whole: Start = { root, inherited: atPageStart(sheet), sheet };
  const tables = new TableSurvey(areTablesData);
  const openMains: { readonly start: Start; readonly before: number }[] = [];
  let best = { start: whole, characters: 0 };
  let characters = 0;
  const count = (value: string) => {
    characters += value.replace(/\s+/g, '').length;
  };
  walkVisible(whole, {
    text: count,
    math: () => count('math'),
    enter(element, _style, inherited) {
      tables.enter(element);
      if (isMain(element)) openMains.push({ start: { root: element, inherited, sheet }, before: characters });
    },
    leave(element) {
      tables.leave(element);
      const main = openMains.at(-1);
      if (main?.start.root !== element) return;
      openMains.pop();
      if (characters - main.before > best.characters) best = { start: main.start, characters: characters - main.before };
    },
  });
  const hasMain = best.characters > characters * MAIN_SHARE;
  return {
    layoutTables: tables.layout,
    content: hasMain ? best.start : whole,
    outsideShare: hasMain ? 1 - best.characters / characters : 0,
  };
}

function isMain(element: Element): boolean {
  return element.tagName === 'main' || element.tagName === 'article' || attribute(element, 'role') === 'main';
}

/** What a table of data seldom holds; around these a table without a header is only layout. */
const LAYOUT_SIGNS: ReadonlySet<string> = new Set(['table', 'pre']);
/** Parts of a page that a cell of data never holds. */
const PAGE_PARTS: ReadonlySet<string> = new Set(['section', 'article', 'main']);

type OpenTable = { readonly element: Element; hasHeader: boolean; hasSigns: boolean; holdsPage: boolean; headingsInCell: number };

/** Tells tables of data from those that arrange a page. */
class TableSurvey {
  readonly layout = new Set<Element>();
  readonly #areData: boolean;
  readonly #open: OpenTable[] = [];

  constructor(areData: boolean) {
    this.#areData = areData;
  }

  enter(element: Element): void {
    const table = this.#open.at(-1);
    const { tagName } = element;
    if (table !== undefined) {
      if (tagName === 'th' || tagName === 'thead') table.hasHeader = true;
      if (tagName === 'th' || tagName === 'td') table.headingsInCell = 0;
      if (headingLevel(element) !== null) table.headingsInCell += 1;
      // Several headings: the cell is a text of its own, whose sections would be lost on one line.
      if (table.headingsInCell > 1 || PAGE_PARTS.has(tagName)) table.holdsPage = true;
      if (table.headingsInCell > 0 || LAYOUT_SIGNS.has(tagName)) table.hasSigns = true;
    }
    if (tagName === 'table') this.#open.push({ element, hasHeader: false, hasSigns: false, holdsPage: false, headingsInCell: 0 });
  }

  leave(element: Element): void {
    const table = this.#open.at(-1);
    if (table?.element !== element) return;
    this.#open.pop();
    const around = this.#open.at(-1);
    if (around !== undefined && table.holdsPage) around.holdsPage = true;
    const isData = !table.holdsPage && (table.hasHeader || this.#areData || !table.hasSigns);
    if (!isData) this.layout.add(element);
  }
}
