import { chosenBranch } from './alternate-content.ts';
import type { XmlElement } from './xml.ts';
import { attributeOf, elementsOf } from './xml-tree.ts';

/** A field that has begun. `from` and `to`: which of the seen elements make up its instruction. */
type OpenField = { readonly from: number; to: number | null };

const LEFT_OUT: ReadonlySet<string> = new Set(['w:del', 'w:moveFrom']);

/**
 * What stands between the beginning of a field and its result, and so is not shown: its instruction, with all that other fields in
 * it give. Text boxes are read apart. A field without an end is none: everything behind it would be lost.
 */
export function fieldInstructions(root: XmlElement): ReadonlySet<XmlElement> {
  const scan = new FieldScan();
  scan.story(root);
  return scan.found;
}

class FieldScan {
  readonly found = new Set<XmlElement>();
  #seen: XmlElement[] = [];
  #spans: OpenField[] = [];
  #open: OpenField[] = [];

  story(root: XmlElement): void {
    const outer = { seen: this.#seen, spans: this.#spans, open: this.#open };
    [this.#seen, this.#spans, this.#open] = [[], [], []];
    for (const child of elementsOf(root)) this.#element(child);
    this.#finish();
    [this.#seen, this.#spans, this.#open] = [outer.seen, outer.spans, outer.open];
  }

  #element(element: XmlElement): void {
    const { name } = element;
    if (LEFT_OUT.has(name) || name.endsWith('Pr')) return;
    if (name === 'w:txbxContent') this.story(element);
    else if (name === 'mc:AlternateContent') this.#children(chosenBranch(element));
    else if (name === 'w:fldChar') this.#mark(element);
    else {
      if (this.#open.length > 0 && !HOLDERS.has(name)) this.#seen.push(element);
      this.#children(element);
    }
  }

  #children(element: XmlElement): void {
    for (const child of elementsOf(element)) this.#element(child);
  }

  #mark(element: XmlElement): void {
    const type = attributeOf(element, 'w:fldCharType');
    const field = this.#open.at(-1);
    if (type === 'begin') this.#open.push({ from: this.#seen.length, to: null });
    else if (type === 'separate' && field !== undefined) field.to ??= this.#seen.length;
    else if (type === 'end' && field !== undefined) {
      this.#open.pop();
      field.to ??= this.#seen.length;
      this.#spans.push(field);
    }
  }

  /** Counts begins and ends instead of marking each span, because fields within fields would be marked again and again. */
  #finish(): void {
    const steps = new Map<number, number>();
    for (const { from, to } of this.#spans) {
      steps.set(from, (steps.get(from) ?? 0) + 1);
      if (to !== null) steps.set(to, (steps.get(to) ?? 0) - 1);
    }
    let depth = 0;
    for (const [index, element] of this.#seen.entries()) {
      depth += steps.get(index) ?? 0;
      if (depth > 0) this.found.add(element);
    }
  }
}

/** Fields begin and end inside these, so that they are never part of an instruction as a whole. */
const HOLDERS: ReadonlySet<string> = new Set([
  'w:p',
  'w:r',
  'w:hyperlink',
  'w:ins',
  'w:moveTo',
  'w:smartTag',
  'w:sdt',
  'w:sdtContent',
  'w:fldSimple',
  'w:customXml',
  'w:dir',
  'w:bdo',
  'w:tbl',
  'w:tr',
  'w:tc',
]);
