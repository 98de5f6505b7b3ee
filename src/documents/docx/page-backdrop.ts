import { type Backdrop, colourOf, PAPER, UNKNOWN_BACKDROP } from './look.ts';
import type { XmlElement } from './xml.ts';
import { attributeOf, childAt, elementsOf, isOn } from './xml-tree.ts';

/** What the text of a document is printed on: paper, unless the page is coloured or something is drawn behind the text. */
export function pageBackdrop(document: XmlElement): Backdrop {
  const colour = colourOf(attributeOf(childAt(document, 'w:background'), 'w:color'));
  const isColoured = colour !== null && colour !== 'auto' && colour !== PAPER;
  return isColoured || elementsOf(document, 'w:body').some(isDrawnBehind) ? UNKNOWN_BACKDROP : PAPER;
}

function isDrawnBehind(element: XmlElement): boolean {
  if (element.name === 'anchor' && isOn(attributeOf(element, 'behindDoc'))) return true;
  if (element.name.startsWith('v:') && /z-index\s*:\s*-/i.test(attributeOf(element, 'style') ?? '')) return true;
  return elementsOf(element).some(isDrawnBehind);
}
