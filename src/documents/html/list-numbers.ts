import { listNumber } from '../docx/list-number.ts';
import { attribute, type Element, isElement } from './elements.ts';
import type { Style } from './style-sheet.ts';

type OpenList = { readonly format: string | null; readonly step: 1 | -1; next: number };

/** Formats by the `type` of a list and by CSS. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['1', 'decimal'],
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
  ['decimal', 'decimal'],
  ['lower-alpha', 'lowerLetter'],
  ['lower-latin', 'lowerLetter'],
  ['upper-alpha', 'upperLetter'],
  ['upper-latin', 'upperLetter'],
  ['lower-roman', 'lowerRoman'],
  ['upper-roman', 'upperRoman'],
  ['none', 'none'],
]);

/** Numbers of the items of lists, as the page shows them. */
export class ListNumbers {
  readonly #open: OpenList[] = [];

  enter(list: Element, style: Style): void {
    if (list.tagName !== 'ol') {
      this.#open.push({ format: null, step: 1, next: 1 });
      return;
    }
    const isReversed = attribute(list, 'reversed') !== null;
    const start = wholeNumber(attribute(list, 'start')) ?? (isReversed ? list.childNodes.filter(isItem).length : 1);
    const styled = (style.get('list-style') ?? '').split(/\s+/).find((word) => FORMATS.has(word));
    const format = FORMATS.get(styled ?? attribute(list, 'type') ?? '') ?? 'decimal';
    this.#open.push({ format: format === 'none' ? null : format, step: isReversed ? -1 : 1, next: start });
  }

  leave(): void {
    this.#open.pop();
  }

  /** What stands before the item's words; empty in a list without numbers, and where the words begin with the number already. */
  label(item: Element): string {
    const list = this.#open.at(-1);
    if (list === undefined) return '';
    const value = wholeNumber(attribute(item, 'value')) ?? list.next;
    list.next = value + list.step;
    return list.format === null || beginsWithNumber(item) ? '' : `${listNumber(value, list.format)}. `;
  }
}

function isItem(node: Element['childNodes'][number]): boolean {
  return isElement(node) && node.tagName === 'li';
}

function wholeNumber(value: string | null): number | null {
  return value !== null && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : null;
}

/** As far as the first words may stand inside of others. */
const DEEPEST_WORDS = 8;

/** Tables of contents write the numbers themselves, and hide those of the list with a style that may not be in the page. */
function beginsWithNumber(item: Element): boolean {
  let element = item;
  for (let depth = 0; depth < DEEPEST_WORDS; depth += 1) {
    const first = element.childNodes.slice(0, 3).find((node) => isElement(node) || ('value' in node && node.value.trim() !== ''));
    if (first === undefined) return false;
    if (!isElement(first)) return 'value' in first && /^\s*\(?\d+(?:\.\d+)*(?:[.)]\s|[.)]?\s*$)/.test(first.value.slice(0, 40));
    element = first;
  }
  return false;
}
