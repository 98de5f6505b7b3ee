import type { XmlElement } from './xml.ts';
import { allNamed, attributeOf, elementsOf, holdsText } from './xml-tree.ts';

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** What a drawing says in words, as holders of paragraphs: its text boxes, the text of its shapes, and WordArt. */
export function drawnText(drawing: XmlElement): readonly XmlElement[] {
  return collected(drawing).filter(holdsText);
}

function collected(element: XmlElement): readonly XmlElement[] {
  switch (element.name) {
    case 'w:txbxContent':
      return [element];
    case 'a:p':
      return [boxOf(shapeWords(element))];
    case 'v:textpath':
      return [boxOf(attributeOf(element, 'string') ?? '')];
    default:
      return elementsOf(element).flatMap(collected);
  }
}

function shapeWords(paragraph: XmlElement): string {
  return allNamed(paragraph, 'a:t')
    .map((words) => words.children.filter((child) => typeof child === 'string').join(''))
    .join('');
}

/** As if the words stood in a text box. */
function boxOf(words: string): XmlElement {
  return element('w:txbxContent', element('w:p', element('w:r', element('w:t', words))));
}

function element(name: string, inside: XmlElement | string): XmlElement {
  return { name, attributes: NO_ATTRIBUTES, children: [inside] };
}
