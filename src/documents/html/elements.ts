import type { DefaultTreeAdapterTypes } from 'parse5';

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.ChildNode;

const NEVER_SHOWN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'head', 'iframe', 'object', 'select']);

/** Blocks with space around them. */
export const PARAGRAPHS: ReadonlySet<string> = new Set(
  'p pre blockquote figure table ul ol dl hr section article main header footer nav aside form fieldset details address'.split(' '),
);

/** Blocks that only begin a line. */
export const LINES: ReadonlySet<string> = new Set(
  'div li dt dd tr td th caption figcaption summary legend thead tbody tfoot option body center'.split(' '),
);

/** What a table of data does not hold; around these a table is only layout. */
const LAYOUT_SIGNS: ReadonlySet<string> = new Set('table h1 h2 h3 h4 h5 h6 pre section article main'.split(' '));

export function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

export function attribute(element: Element, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name)?.value ?? null;
}

/** Level of `h1` … `h6`, else `null`. */
export function headingLevel(element: Element): number | null {
  return /^h[1-6]$/.test(element.tagName) ? Number(element.tagName.slice(1)) : null;
}

export function isLayoutSign(element: Element): boolean {
  return LAYOUT_SIGNS.has(element.tagName);
}

/** Whether a reader of the page does not see the element, or sees it only as a mark beside the text. */
export function isSkipped(element: Element): boolean {
  if (NEVER_SHOWN.has(element.tagName) || attribute(element, 'hidden') !== null) return true;
  if (attribute(element, 'aria-hidden') === 'true') return true;
  return /display\s*:\s*none/i.test(attribute(element, 'style') ?? '') || isPermalink(element);
}

/** Struck through, by element or by style: what the page says no longer holds. */
const DELETED: ReadonlySet<string> = new Set(['del', 's', 'strike']);

/** Whether the element's text is shown as deleted, so that its words must not be read as the document's. */
export function isDeleted(element: Element): boolean {
  return DELETED.has(element.tagName) || /text-decoration[\w-]*\s*:[^;]*\bline-through\b/i.test(attribute(element, 'style') ?? '');
}

/** Whether there is any text in the element. A loop, because pages nest deeper than the stack of calls is. */
export function hasText(element: Element): boolean {
  const open: Node[] = [...element.childNodes];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) for (const child of node.childNodes) open.push(child);
    else if (node.nodeName === '#text' && 'value' in node && node.value.trim() !== '') return true;
  }
  return false;
}

/** The ¶ behind a heading or paragraph that links to itself. */
function isPermalink(element: Element): boolean {
  if (element.tagName !== 'a' || !attribute(element, 'href')?.startsWith('#')) return false;
  const [only, ...others] = element.childNodes;
  return only !== undefined && others.length === 0 && 'value' in only && /^\s*[¶#§🔗]\s*$/u.test(only.value);
}
