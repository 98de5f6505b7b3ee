import { BLACK, type Color, colorOf, isUnseen, WHITE } from './color.ts';
import { isClippedAway, isFarOff, isNothing, isTiny, isTransformedAway } from './css-values.ts';
import { attribute, type Element, hasText, isElement, isInline, localName, parentOf } from './elements.ts';
import type { Style, StyleSheet } from './style-sheet.ts';

/** What an element hands on to its children. */
export type Inherited = {
  readonly isVisible: boolean;
  readonly hasSize: boolean;
  readonly color: Color;
  readonly background: Color;
};

/** What a page begins with. A style sheet outside of the page may set any colour. */
export function atPageStart(sheet: StyleSheet): Inherited {
  return { isVisible: true, hasSize: true, color: sheet.hasOthers ? null : BLACK, background: sheet.hasOthers ? null : WHITE };
}

/** Elements with colours of their own. */
const COLOURED: ReadonlySet<string> = new Set(['a', 'button', 'input', 'mark', 'select', 'textarea']);

/** What holds inside the element. */
export function inheritedBy(element: Element, style: Style, from: Inherited): Inherited {
  const isColoured = COLOURED.has(element.tagName);
  if (style.size === 0 && !isColoured) return from;
  const [visibility, size] = [style.get('visibility'), style.get('font-size')];
  return {
    isVisible: visibility === undefined || visibility === 'inherit' ? from.isVisible : visibility === 'visible',
    hasSize: size === undefined || (!from.hasSize && isRelative(size)) ? from.hasSize : !isNothing(size),
    color: ownColor(style.get('color'), isColoured ? null : from.color),
    background: ownBackground(style.get('background-color'), isColoured ? null : from.background),
  };
}

/** Whether words straight inside are seen. */
export function isSeen({ isVisible, hasSize, color, background }: Inherited): boolean {
  return isVisible && hasSize && !isUnseen(color, background);
}

/** A share of the parent's size, which is nothing where that is. */
function isRelative(size: string): boolean {
  return /^[\d.]+(?:em|%)$|^(?:inherit|larger|smaller)$/.test(size);
}

function ownColor(value: string | undefined, inherited: Color): Color {
  return value === undefined || value === 'inherit' || value === 'currentcolor' ? inherited : colorOf(value);
}

function ownBackground(value: string | undefined, inherited: Color): Color {
  if (value === undefined || value === 'none') return inherited;
  const color = colorOf(value);
  return color !== null && color[3] === 0 ? inherited : color;
}

/** Elements that never show what they hold; all of it is text that a writer could put there. */
const NEVER_SHOWN: ReadonlySet<string> = new Set('noscript noframes noembed video audio canvas datalist title iframe'.split(' '));
/** The same of a drawing. */
const NEVER_DRAWN: ReadonlySet<string> = new Set(['desc', 'metadata', 'defs', 'symbol']);
const SVG = 'http://www.w3.org/2000/svg';

/** Whether the element hides all that it holds, whatever that says of itself. */
export function hidesAll(element: Element, style: Style): boolean {
  const { tagName } = element;
  if (tagName === 'html' || tagName === 'body') return false;
  if (isFormulaBesidePicture(element)) return false;
  if (NEVER_SHOWN.has(tagName) || (NEVER_DRAWN.has(tagName) && String(element.namespaceURI) === SVG)) return true;
  if (attribute(element, 'hidden') !== null || attribute(element, 'popover') !== null) return true;
  if (tagName === 'dialog' && attribute(element, 'open') === null) return true;
  return style.size > 0 && isHiddenBy(style, element);
}

function isHiddenBy(style: Style, element: Element): boolean {
  if (style.get('display') === 'none' || style.get('content-visibility') === 'hidden') return true;
  if (isNothing(style.get('opacity')) && !style.has('animation')) return true;
  const isOutOfFlow = ['absolute', 'fixed'].includes(style.get('position') ?? '');
  if (isOutOfFlow && (isClippedAway(style.get('clip')) || ['left', 'right', 'top', 'bottom'].some((side) => isFarOff(style.get(side))))) {
    return true;
  }
  if (isFarOff(style.get('text-indent')) || isFarOff(style.get('margin-left'))) return true;
  if (isClippedAway(style.get('clip-path')) || isTransformedAway(style.get('transform'))) return true;
  const isBox = isOutOfFlow || style.has('display') || !isInline(element);
  return isBox && ['hidden', 'clip'].includes(style.get('overflow') ?? '') && SIZES.some((size) => isTiny(style.get(size)));
}

const SIZES = ['width', 'height', 'max-width', 'max-height'] as const;

/**
 * Whether the element is how readers of the screen hear a formula that is drawn beside it, as KaTeX, MathJax and MediaWiki write
 * pages: its words are those of the drawing.
 */
function isFormulaBesidePicture(element: Element): boolean {
  if (!holdsOnlyFormula(element)) return false;
  return (parentOf(element)?.childNodes.slice(0, SIBLINGS) ?? []).some(
    (node) => isElement(node) && node !== element && (node.tagName === 'img' || attribute(node, 'aria-hidden') === 'true'),
  );
}

/** Whether the element draws a formula that stands beside it as MathML; both would say it twice. */
export function isDrawnFormula(element: Element): boolean {
  if (attribute(element, 'aria-hidden') !== 'true') return false;
  const siblings = parentOf(element)?.childNodes.slice(0, SIBLINGS) ?? [];
  return siblings.some((node) => isElement(node) && node !== element && holdsOnlyFormula(node));
}

/** A formula and its drawing are the only ones beside each other. */
const SIBLINGS = 4;

function holdsOnlyFormula(element: Element): boolean {
  const [only, ...others] = element.childNodes;
  return only !== undefined && others.length === 0 && isElement(only) && localName(only) === 'math' && hasText(only);
}
