import type { XmlElement } from './xml.ts';
import { attributeOf, childAt, elementsOf, switchOf } from './xml-tree.ts';

/** What the look of a run says about its meaning and whether it shows; `null` where nothing is said. */
export type Look = {
  readonly hidden: boolean | null;
  readonly struck: boolean | null;
  /** `superscript`, `subscript` or `baseline`. */
  readonly raised: string | null;
  /** Written in capitals, whatever the case of the letters. */
  readonly caps: boolean | null;
  /** Six hexadecimal digits in lower case, or `auto`. */
  readonly colour: string | null;
  /** What the run is laid on by its own shading. */
  readonly fill: Backdrop | null;
  /** In points. */
  readonly size: number | null;
  /** Width of the letters, in per cent of what they have. */
  readonly stretch: number | null;
};

/** A colour as six hexadecimal digits in lower case, or `unknown`. */
export type Backdrop = string;

export const PAPER: Backdrop = 'ffffff';
export const UNKNOWN_BACKDROP: Backdrop = 'unknown';

export const PLAIN_LOOK: Look = {
  hidden: null,
  struck: null,
  raised: null,
  caps: null,
  colour: null,
  fill: null,
  size: null,
  stretch: null,
};

/** In points, as in a PDF. */
const TINY_BELOW = 2;
/** In per cent. */
const SQUEEZED_BELOW = 10;
/** Components of a colour that differ by less look alike; of 255. */
const ALIKE = 16;

type Drafted = { -readonly [Key in keyof Look]: Look[Key] };
type Reader = (property: XmlElement, before: Look) => Partial<Drafted>;

const hides: Reader = (property, { hidden }) => ({ hidden: switchOf(property) === true || hidden === true });
const strikes: Reader = (property, { struck }) => ({ struck: switchOf(property) === true || struck === true });

/** How each property of a run is read; what is not here says nothing about the text. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['w:vanish', hides],
  ['w:specVanish', hides],
  ['w:strike', strikes],
  ['w:dstrike', strikes],
  ['w:vertAlign', (property) => ({ raised: attributeOf(property) })],
  ['w:caps', (property) => ({ caps: switchOf(property) })],
  ['w:color', (property) => ({ colour: colourOf(attributeOf(property)) })],
  // Stands before shading in a file, and lies above it.
  ['w:highlight', (property, { fill }) => ({ fill: highlightOf(attributeOf(property)) ?? fill })],
  ['w:shd', (property, { fill }) => ({ fill: fill ?? fillOf(property) })],
  ['w:sz', (property) => ({ size: halved(numberOf(attributeOf(property))) })],
  ['w:w', (property) => ({ stretch: numberOf(attributeOf(property)) })],
]);

/** The look that run properties state themselves. */
export function lookOf(properties: XmlElement | null): Look {
  if (properties === null) return PLAIN_LOOK;
  const look: Drafted = { ...PLAIN_LOOK };
  for (const property of elementsOf(properties)) Object.assign(look, READERS.get(property.name)?.(property, look));
  return look;
}

/** `over` where it says something, else `under`. */
export function laidOver(over: Look, under: Look): Look {
  if (over === PLAIN_LOOK) return under;
  return {
    hidden: over.hidden ?? under.hidden,
    struck: over.struck ?? under.struck,
    raised: over.raised ?? under.raised,
    caps: over.caps ?? under.caps,
    colour: over.colour ?? under.colour,
    fill: over.fill ?? under.fill,
    size: over.size ?? under.size,
    stretch: over.stretch ?? under.stretch,
  };
}

/** Whether a reader does not see words of that look on that backdrop. */
export function isUnseen(look: Look, behind: Backdrop): boolean {
  if (look.hidden === true || (look.size ?? TINY_BELOW) < TINY_BELOW || (look.stretch ?? SQUEEZED_BELOW) < SQUEEZED_BELOW) return true;
  return look.colour !== null && isAlike(look.colour, look.fill ?? behind);
}

/** The colour that shading of a run, paragraph, cell or table lays behind the text; `null` for none. */
export function fillOf(shading: XmlElement | null): Backdrop | null {
  if (shading === null) return null;
  const pattern = attributeOf(shading) ?? 'clear';
  if (pattern === 'nil') return null;
  if (pattern === 'solid') return solid(colourOf(attributeOf(shading, 'w:color')));
  if (pattern !== 'clear') return UNKNOWN_BACKDROP;
  const fill = colourOf(attributeOf(shading, 'w:fill'));
  if (fill !== null && fill !== 'auto') return fill;
  return attributeOf(shading, 'w:themeFill') === null ? null : UNKNOWN_BACKDROP;
}

/** The shading that properties of a paragraph, cell or table state. */
export function shadeOf(properties: XmlElement | null): Backdrop | null {
  return fillOf(childAt(properties, 'w:shd'));
}

/** A colour as Word writes it; `null` for what is none. */
export function colourOf(value: string | null): string | null {
  const colour = value?.toLowerCase() ?? '';
  return colour === 'auto' || /^[0-9a-f]{6}$/.test(colour) ? colour : null;
}

function solid(colour: string | null): Backdrop {
  return colour === 'auto' ? '000000' : (colour ?? UNKNOWN_BACKDROP);
}

function highlightOf(name: string | null): Backdrop | null {
  if (name === null || name === 'none') return null;
  return name === 'white' ? PAPER : name === 'black' ? '000000' : UNKNOWN_BACKDROP;
}

function isAlike(colour: string, backdrop: Backdrop): boolean {
  if (colour === 'auto' || backdrop === UNKNOWN_BACKDROP) return false;
  return [0, 2, 4].every((at) => Math.abs(component(colour, at) - component(backdrop, at)) < ALIKE);
}

function component(colour: string, at: number): number {
  return Number.parseInt(colour.slice(at, at + 2), 16);
}

function numberOf(value: string | null): number | null {
  const found = /^(\d{1,6}(?:\.\d+)?)(pt|%)?$/.exec(value ?? '');
  if (found === null) return null;
  // Strict files may write points where others write half points.
  return Number(found[1]) * (found[2] === 'pt' ? 2 : 1);
}

function halved(halfPoints: number | null): number | null {
  return halfPoints === null ? null : halfPoints / 2;
}
