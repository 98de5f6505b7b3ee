import type { XmlElement } from './xml.ts';
import { elementsOf, holdsText } from './xml-tree.ts';

/** Of the ways to say one thing, for newer and older programs, the first that says it in words; else the last. */
export function chosenBranch(element: XmlElement): XmlElement {
  const branches = elementsOf(element).filter(({ name }) => name === 'mc:Choice' || name === 'mc:Fallback');
  return branches.find(holdsText) ?? branches.at(-1) ?? element;
}
