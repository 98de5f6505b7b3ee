import { collapse, EquationLine, fraction, grouped, isBracketed, matrix, root, shifted } from '../equation-notation.ts';
import { isUnseen, lookOf, PAPER } from './look.ts';
import type { XmlElement } from './xml.ts';
import { attributeOf, childAt, elementsOf, switchOf, textOf } from './xml-tree.ts';

/**
 * An equation on one line, in the order in which it is read: `x^2`, `a_(i,j)`, `(a+b)/2`, `√(x)`, `∑_(i=1)^n i`. Raised and lowered
 * parts are marked as elsewhere in the text, because `25` for 2⁵ is another number.
 */
export function equationText(element: XmlElement): string {
  return collapse(children(element));
}

type Writer = (element: XmlElement) => string;

const WRITERS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ['m:t', textOf],
  ['w:t', textOf],
  ['w:br', () => ' '],
  ['m:f', (element) => fractionOf(element)],
  ['m:sSup', (element) => shifted(part(element, 'm:e'), '', part(element, 'm:sup'))],
  ['m:sSub', (element) => shifted(part(element, 'm:e'), part(element, 'm:sub'), '')],
  ['m:sSubSup', (element) => shifted(part(element, 'm:e'), part(element, 'm:sub'), part(element, 'm:sup'))],
  ['m:sPre', (element) => `_${grouped(part(element, 'm:sub'))}^${grouped(part(element, 'm:sup'))}${part(element, 'm:e')}`],
  ['m:rad', (element) => rootOf(element)],
  ['m:nary', (element) => nary(element)],
  ['m:d', (element) => delimited(element)],
  ['m:func', (element) => applied(part(element, 'm:fName'), part(element, 'm:e'))],
  ['m:limLow', (element) => shifted(part(element, 'm:e'), part(element, 'm:lim'), '')],
  ['m:limUpp', (element) => shifted(part(element, 'm:e'), '', part(element, 'm:lim'))],
  ['m:m', (element) => matrix(elementsOf(element, 'm:mr').map(parts))],
  ['m:eqArr', (element) => parts(element).join('; ')],
  ['m:acc', (element) => accented(element)],
  [
    'm:bar',
    (element) => `${part(element, 'm:e')}${attributeOf(childAt(element, 'm:barPr', 'm:pos'), 'm:val') === 'bot' ? '\u0332' : '\u0305'}`,
  ],
]);

/** Revisions that are not in force, and properties. */
function isLeftOut(name: string): boolean {
  return name === 'w:del' || name === 'w:moveFrom' || name.endsWith('Pr');
}

/** Parts whose last letter is raised or lowered; a letter that follows at once would seem to be so too. */
const ENDS_SHIFTED: ReadonlySet<string> = new Set(['m:sSup', 'm:sSub', 'm:sSubSup', 'm:limLow', 'm:limUpp']);

function children(element: XmlElement): string {
  const line = new EquationLine();
  for (const child of elementsOf(element)) line.add(write(child), ENDS_SHIFTED.has(child.name));
  return line.text;
}

function write(element: XmlElement): string {
  if (isLeftOut(element.name) || (element.name === 'm:r' && isUnseen(lookOf(childAt(element, 'w:rPr')), PAPER))) return '';
  return (WRITERS.get(element.name) ?? children)(element);
}

/** The text of the element's part of that name. */
function part(element: XmlElement, name: string): string {
  const found = childAt(element, name);
  return found === null ? '' : collapse(children(found));
}

function parts(element: XmlElement): readonly string[] {
  return elementsOf(element, 'm:e').map((each) => collapse(children(each)));
}

/** `noBar`: a binomial. */
function fractionOf(element: XmlElement): string {
  const hasBar = attributeOf(childAt(element, 'm:fPr', 'm:type'), 'm:val') !== 'noBar';
  return fraction(part(element, 'm:num'), part(element, 'm:den'), hasBar);
}

function rootOf(element: XmlElement): string {
  const isSquare = switchOf(childAt(element, 'm:radPr', 'm:degHide')) === true;
  return root(part(element, 'm:e'), isSquare ? '' : part(element, 'm:deg'));
}

function nary(element: XmlElement): string {
  const properties = childAt(element, 'm:naryPr');
  const sign = attributeOf(childAt(properties, 'm:chr'), 'm:val') ?? '∫';
  const [low, high] = [part(element, 'm:sub'), part(element, 'm:sup')];
  return `${shifted(sign, low, high)} ${part(element, 'm:e')}`;
}

function delimited(element: XmlElement): string {
  const properties = childAt(element, 'm:dPr');
  const sign = (name: string, usual: string) => attributeOf(childAt(properties, name), 'm:val') ?? usual;
  return `${sign('m:begChr', '(')}${parts(element).join(sign('m:sepChr', '|'))}${sign('m:endChr', ')')}`;
}

function applied(name: string, argument: string): string {
  return isBracketed(argument) ? `${name}${argument}` : `${name} ${argument}`;
}

/** The accent behind its letter, where Unicode wants it. */
function accented(element: XmlElement): string {
  return `${part(element, 'm:e')}${attributeOf(childAt(element, 'm:accPr', 'm:chr'), 'm:val') ?? '\u0302'}`;
}
