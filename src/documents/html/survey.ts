import { attribute, type Element, isLayoutSign } from './elements.ts';
import { walkVisible } from './walk.ts';

/** What must be known of a page before its text can be written. */
export type Survey = {
  /** Tables that arrange the page instead of holding data. */
  readonly layoutTables: ReadonlySet<Element>;
  /** The one `<main>` or `<article>` that holds most of the text, else the whole page. */
  readonly content: Element;
  /** Share of the text outside `content`, 0 to 1. */
  readonly outsideShare: number;
};

/** A `<main>` is taken for the document only when it holds more than this share of the text. */
const MAIN_SHARE = 0.6;

/** Looks over a page once. */
export function surveyPage(root: Element): Survey {
  const layoutTables = new Set<Element>();
  const openTables: Element[] = [];
  const openMains: { readonly element: Element; readonly before: number }[] = [];
  let best = { element: root, characters: 0 };
  let characters = 0;
  walkVisible(root, {
    text(value) {
      characters += value.replace(/\s+/g, '').length;
    },
    enter(element) {
      const table = openTables.at(-1);
      if (table !== undefined && isLayoutSign(element)) layoutTables.add(table);
      if (element.tagName === 'table') openTables.push(element);
      if (isMain(element)) openMains.push({ element, before: characters });
    },
    leave(element) {
      if (openTables.at(-1) === element) openTables.pop();
      const main = openMains.at(-1);
      if (main?.element !== element) return;
      openMains.pop();
      if (characters - main.before > best.characters) best = { element, characters: characters - main.before };
    },
  });
  const hasMain = best.characters > characters * MAIN_SHARE;
  return { layoutTables, content: hasMain ? best.element : root, outsideShare: hasMain ? 1 - best.characters / characters : 0 };
}

function isMain(element: Element): boolean {
  return element.tagName === 'main' || element.tagName === 'article' || attribute(element, 'role') === 'main';
}
