import type { XmlElement, XmlNode } from './xml.ts';

/** The elements among the children, of one name if it is given. */
export function elementsOf(parent: XmlElement | null, name?: string): readonly XmlElement[] {
  if (parent === null) return [];
  return parent.children.filter((child): child is XmlElement => typeof child !== 'string' && (name === undefined || child.name === name));
}

/** The first child of that name, or below it the first of the next name, and so on; `null` when one is missing. */
export function childAt(parent: XmlElement | null, ...path: readonly string[]): XmlElement | null {
  let element = parent;
  for (const name of path) element = elementsOf(element, name)[0] ?? null;
  return element;
}

/** An attribute of the element, usually `w:val`; `null` when there is neither. */
export function attributeOf(element: XmlElement | null, attribute = 'w:val'): string | null {
  return element?.attributes.get(attribute) ?? null;
}

/** Whether an on/off property is on; `null` when it is not stated. */
export function switchOf(element: XmlElement | null): boolean | null {
  return element === null ? null : isOn(attributeOf(element) ?? attributeOf(element, 'm:val') ?? 'true');
}

/** Whether a value of an attribute switches something on. */
export function isOn(value: string | null): boolean {
  return value !== null && !['false', '0', 'off'].includes(value);
}

/** All elements of that name below, the element itself included; none inside another. */
export function allNamed(root: XmlElement, name: string): readonly XmlElement[] {
  return root.name === name ? [root] : elementsOf(root).flatMap((child) => allNamed(child, name));
}

/** The characters in the element, as they stand in the XML. */
export function textOf(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

const TEXT: ReadonlySet<string> = new Set(['w:t', 'm:t', 'a:t', 'w:delText']);

/** Whether there are words of the text (deleted ones too) of an equation or of a drawing in the element; field codes are none. */
export function holdsText(node: XmlNode): boolean {
  if (typeof node === 'string') return false;
  if (TEXT.has(node.name)) return textOf(node).trim() !== '';
  if (node.name === 'v:textpath') return (attributeOf(node, 'string') ?? '').trim() !== '';
  return node.name === 'w:sym' || node.children.some(holdsText);
}
