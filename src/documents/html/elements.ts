import type { DefaultTreeAdapterTypes } from 'parse5';

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.ChildNode;

/** What is no text of the page: code, and brackets around ruby, which is bracketed anyhow. */
const NO_TEXT: ReadonlySet<string> = new Set(['script', 'style', 'template', 'head', 'rp']);

/** Elements whose markup stays source text. */
const RAW: ReadonlySet<string> = new Set(['noscript', 'iframe', 'noframes', 'noembed']);

/** Blocks with space around them. */
export const PARAGRAPHS: ReadonlySet<string> = new Set(
  'p pre blockquote figure table ul ol menu dl hr section article main header footer nav aside form fieldset details address'.split(' '),
);

/** Blocks that only begin a line. */
export const LINES: ReadonlySet<string> = new Set(
  'div li dt dd tr td th caption figcaption summary legend thead tbody tfoot option optgroup text body center'.split(' '),
);

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

/** Name by which a page links to a heading: its id, or that of the element that it begins with. */
export function headingAnchor(heading: Element): string | null {
  const own = attribute(heading, 'id');
  if (own !== null) return own;
  const first = heading.childNodes.find(isElement);
  return first === undefined ? null : (attribute(first, 'id') ?? attribute(first, 'name'));
}

/** Whether the element is part of a line, unless its style makes it a box. */
export function isInline(element: Element): boolean {
  return !PARAGRAPHS.has(element.tagName) && !LINES.has(element.tagName) && headingLevel(element) === null;
}

/** Name without the prefix that XHTML may give to elements of MathML. */
export function localName({ tagName }: Element): string {
  return tagName.slice(tagName.indexOf(':') + 1);
}

/** The element around; `null` for the outermost. */
export function parentOf(element: Element): Element | null {
  const { parentNode } = element;
  return parentNode !== null && 'tagName' in parentNode ? parentNode : null;
}

/** The element and all below it, in no order. A loop, because pages nest deeper than the stack of calls is. */
export function* everyElement(root: Element): Generator<Element> {
  const open: Element[] = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    yield element;
    for (const child of element.childNodes) if (isElement(child)) open.push(child);
  }
}

/** Whether the element is no text of the page, or only a mark beside the text. */
export function isNoText(element: Element): boolean {
  return NO_TEXT.has(element.tagName) || isPermalink(element);
}

/** What the page says no longer holds, by element. */
const DELETED: ReadonlySet<string> = new Set(['del', 's', 'strike']);

/** Whether the element's text is shown as deleted (`decoration` is its style), so that its words must not be read as the document's. */
export function isDeleted(element: Element, decoration: string | undefined): boolean {
  return DELETED.has(element.tagName) || /\bline-through\b/.test(decoration ?? '');
}

/** Whether there is any text in the element. A loop, because pages nest deeper than the stack of calls is. */
export function hasText(element: Element): boolean {
  const open: Node[] = [...element.childNodes];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node)) for (const child of node.childNodes) open.push(child);
    else if (node.nodeName === '#text' && 'value' in node && visibleText(element, node.value).trim() !== '') return true;
  }
  return false;
}

function visibleText(holder: Element, value: string): string {
  if (!RAW.has(holder.tagName)) return value;
  return value
    .split('<')
    .map((piece, index) => (index === 0 ? piece : piece.slice(piece.indexOf('>') + 1)))
    .join(' ');
}

/** The ¶ behind a heading or paragraph that links to itself. */
function isPermalink(element: Element): boolean {
  if (element.tagName !== 'a' || !attribute(element, 'href')?.startsWith('#')) return false;
  const [only, ...others] = element.childNodes;
  return only !== undefined && others.length === 0 && 'value' in only && /^\s*[¶#§🔗]\s*$/u.test(only.value);
}
