import { collapse, EquationLine, fraction, matrix, root, shifted } from '../equation-notation.ts';
import { attribute, type Element, everyElement, isElement, localName, type Node } from './elements.ts';

/** Deeper parts are left out: they would take time with the square of the depth, and no formula is as deep. */
const DEEPEST = 80;
/** Characters times depth: each level reads again what is inside. */
const MOST_READ = 20_000_000;

/**
 * A formula of MathML on one line, in the order in which it is read: `10^(-8)`, `1/2`, `c^2`. Its annotations say the same in another
 * language and are left out. `isShown` tells what a reader sees.
 */
export function mathText(math: Element, isShown: (element: Element) => boolean): string {
  let length = 1;
  for (const { childNodes } of everyElement(math)) for (const node of childNodes) length += textValue(node).length;
  const deepest = Math.min(DEEPEST, Math.floor(MOST_READ / length));
  return collapse(new MathWriter(isShown, deepest).row(math.childNodes, 0).text);
}

type Piece = { readonly text: string; readonly isShifted: boolean };

/** Accents as they stand above a letter, and as Unicode puts them behind it. */
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['^', '\u0302'],
  ['ˆ', '\u0302'],
  ['¯', '\u0305'],
  ['‾', '\u0305'],
  ['_', '\u0332'],
  ['~', '\u0303'],
  ['˜', '\u0303'],
  ['→', '\u20d7'],
  ['⃗', '\u20d7'],
  ['˙', '\u0307'],
  ['.', '\u0307'],
  ['¨', '\u0308'],
  ['ˇ', '\u030c'],
]);
/** Function application, invisible times, comma and plus: they have no width. */
const INVISIBLE = /[\u2061-\u2064]/g;
const LEFT_OUT: ReadonlySet<string> = new Set(['annotation', 'annotation-xml', 'mphantom', 'maligngroup', 'malignmark', 'script', 'style']);

class MathWriter {
  readonly #isShown: (element: Element) => boolean;
  readonly #deepest: number;

  constructor(isShown: (element: Element) => boolean, deepest: number) {
    this.#isShown = isShown;
    this.#deepest = deepest;
  }

  row(nodes: readonly Node[], depth: number): EquationLine {
    const line = new EquationLine();
    let wasWord = false;
    for (const node of nodes) {
      const { text, isShifted } = isElement(node) ? this.#element(node, depth) : { text: textValue(node), isShifted: false };
      if (text === '') continue;
      const isWord = isElement(node) && isName(node, text);
      // "sin" and "x" are two names, where "m" and "c" are a product.
      line.add(text, isShifted, isWord || wasWord);
      wasWord = isWord;
    }
    return line;
  }

  #element(element: Element, depth: number): Piece {
    const name = localName(element);
    if (depth > this.#deepest || LEFT_OUT.has(name) || !this.#isShown(element)) return { text: '', isShifted: false };
    const parts = element.childNodes.filter(isElement);
    const part = (index: number): string => {
      const found = parts[index];
      return found === undefined ? '' : collapse(this.#element(found, depth + 1).text);
    };
    const inner = () => this.row(element.childNodes, depth + 1).text;
    switch (name) {
      case 'mfrac':
        return plain(fraction(part(0), part(1), !/^0(?:[a-z%]|$)/.test(attribute(element, 'linethickness') ?? '')));
      case 'msqrt':
        return plain(root(collapse(inner()), ''));
      case 'mroot':
        return plain(root(part(0), part(1)));
      case 'msup':
        return { text: shifted(part(0), '', part(1)), isShifted: true };
      case 'msub':
        return { text: shifted(part(0), part(1), ''), isShifted: true };
      case 'msubsup':
      case 'munderover':
        return { text: shifted(part(0), part(1), part(2)), isShifted: true };
      case 'mover':
        return over(part(0), part(1));
      case 'munder':
        return { text: shifted(part(0), part(1), ''), isShifted: true };
      case 'mmultiscripts':
        return this.#scripts(parts, part);
      case 'mtable':
        return plain(this.#table(parts, depth));
      case 'mfenced':
        return plain(
          fenced(
            element,
            parts.map((_, index) => part(index)),
          ),
        );
      case 'semantics':
      case 'maction':
        return plain(part(0));
      case 'mspace':
        return plain(' ');
      case 'ms':
        return plain(`"${inner()}"`);
      case 'mtext':
        return plain(inner().replace(/\s+/g, ' '));
      case 'mi':
      case 'mn':
      case 'mo':
        return plain(collapse(inner()).replace(INVISIBLE, ''));
      default:
        return plain(parts.length === 0 ? inner() : this.row(name.startsWith('m') ? parts : element.childNodes, depth + 1).text);
    }
  }

  #table(rows: readonly Element[], depth: number): string {
    const cells = rows.map((row) => row.childNodes.filter(isElement).map((cell) => collapse(this.#element(cell, depth + 2).text)));
    // Aligned equations are a table too; those in one column are lines.
    return cells.every(({ length }) => length <= 1) ? cells.flat().join('; ') : matrix(cells);
  }

  /** Scripts behind the base come in pairs of below and above; behind `mprescripts` those before it. */
  #scripts(parts: readonly Element[], part: (index: number) => string): Piece {
    const border = parts.findIndex((each) => localName(each) === 'mprescripts');
    const joined = (from: number, to: number) => {
      let text = '';
      for (let index = from; index < to; index += 2) text += shifted('', part(index), part(index + 1));
      return text;
    };
    const end = border === -1 ? parts.length : border;
    const before = border === -1 ? '' : joined(border + 1, parts.length);
    return { text: `${before}${shifted(part(0), '', '')}${joined(1, end)}`, isShifted: end > 1 };
  }
}

function plain(text: string): Piece {
  return { text, isShifted: false };
}

function over(base: string, above: string): Piece {
  const accent = ACCENTS.get(above);
  if (accent === undefined) return { text: shifted(base, '', above), isShifted: true };
  return plain([...base].length === 1 ? `${base}${accent}` : `(${base})${accent}`);
}

function fenced(element: Element, parts: readonly string[]): string {
  const separators = [...(attribute(element, 'separators') ?? ',').replace(/\s/g, '')];
  const joined = parts.map((part, index) => (index === 0 ? part : `${separators[Math.min(index, separators.length) - 1] ?? ''}${part}`));
  return `${attribute(element, 'open') ?? '('}${joined.join('')}${attribute(element, 'close') ?? ')'}`;
}

/** Whether the element is a name of more than one letter. */
function isName(element: Element, text: string): boolean {
  return localName(element) === 'mi' && [...text].length > 1;
}

function textValue(node: Node): string {
  return node.nodeName === '#text' && 'value' in node ? node.value.replace(/\s+/g, ' ') : '';
}
