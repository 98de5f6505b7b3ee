import { type Backdrop, fillOf, type Look, laidOver, lookOf, PLAIN_LOOK, shadeOf, UNKNOWN_BACKDROP } from './look.ts';
import type { XmlElement } from './xml.ts';
import { allNamed, attributeOf, childAt, elementsOf, isOn } from './xml-tree.ts';

/** A place in a numbering: `level` is 0-based. */
export type NumberPlace = { readonly numId: string | null; readonly level: number | null };

/** The numbering that paragraph properties state themselves. */
export function numberPlaceOf(properties: XmlElement | null): NumberPlace {
  const number = childAt(properties, 'w:numPr');
  const level = attributeOf(childAt(number, 'w:ilvl'));
  return { numId: attributeOf(childAt(number, 'w:numId')), level: level === null ? null : Number(level) };
}

/** 1-based; 10 stands for body text. */
function outlineLevelOf(properties: XmlElement | null): number | null {
  const level = attributeOf(childAt(properties, 'w:outlineLvl'));
  return level !== null && /^\d$/.test(level) ? Number(level) + 1 : null;
}

const BODY_LEVEL = 10;
/** Word itself allows ten. */
const MAX_ANCESTORS = 32;

type Style = {
  readonly look: Look;
  readonly shade: Backdrop | null;
  readonly place: NumberPlace;
  readonly outline: number | null;
  readonly name: string;
};

/** The styles of a document, with what they inherit. Paragraphs that name none have the one that the document sets for them. */
export class Styles {
  readonly #byId: ReadonlyMap<string, XmlElement>;
  readonly #defaultLook: Look;
  readonly #defaultId: string | null;
  readonly #resolved = new Map<string, Style>();

  constructor(root: XmlElement | null) {
    const styles = elementsOf(root, 'w:style');
    this.#byId = new Map(styles.map((style) => [attributeOf(style, 'w:styleId') ?? '', style]));
    this.#defaultLook = lookOf(childAt(root, 'w:docDefaults', 'w:rPrDefault', 'w:rPr'));
    const usual = styles.find((style) => attributeOf(style, 'w:type') === 'paragraph' && isOn(attributeOf(style, 'w:default')));
    this.#defaultId = attributeOf(usual ?? null, 'w:styleId');
  }

  /** Of a run's or a table's own style. */
  look(styleId: string | null): Look {
    return this.#style(styleId).look;
  }

  /** Of a paragraph, in a table of that look. */
  paragraphLook(styleId: string | null, inTable: Look): Look {
    return laidOver(this.#paragraph(styleId).look, laidOver(inTable, this.#defaultLook));
  }

  /** What a paragraph's style lays behind its words. */
  shade(styleId: string | null): Backdrop | null {
    return this.#paragraph(styleId).shade;
  }

  /** What a table's style lays behind its words: which cells it shades is a matter of many rules. */
  tableShade(styleId: string | null): Backdrop | null {
    const isShaded = this.lineage(styleId ?? '').some((id) => allNamed(this.#byId.get(id) ?? NOTHING, 'w:shd').some(isColoured));
    return isShaded ? UNKNOWN_BACKDROP : null;
  }

  place(styleId: string | null): NumberPlace {
    return this.#paragraph(styleId).place;
  }

  /** 1 to 9, or `null` for what is no heading. Style names are English in every language of Word. */
  headingLevel(styleId: string | null, properties: XmlElement | null): number | null {
    const style = this.#paragraph(styleId);
    // The plain "Heading" of Pages and LibreOffice is one itself, but titles and captions inherit from it.
    const level = outlineLevelOf(properties) ?? style.outline ?? (style.name === 'heading' ? 1 : null);
    return level === null || level >= BODY_LEVEL ? null : level;
  }

  /** The style and those from which it inherits, nearest first. */
  lineage(styleId: string | null): readonly string[] {
    const names = new Set<string>();
    for (
      let id = styleId ?? this.#defaultId;
      id !== null && names.size < MAX_ANCESTORS && !names.has(id);
      id = attributeOf(childAt(this.#byId.get(id) ?? null, 'w:basedOn'))
    )
      names.add(id);
    return [...names];
  }

  isTitle(styleId: string | null): boolean {
    return this.#paragraph(styleId).name === 'title';
  }

  #paragraph(styleId: string | null): Style {
    return this.#style(styleId ?? this.#defaultId);
  }

  #style(styleId: string | null, depth = 0): Style {
    if (styleId === null || depth > MAX_ANCESTORS) return NO_STYLE;
    const known = this.#resolved.get(styleId);
    if (known !== undefined) return known;
    // Stands for the style while its ancestors are looked up, so that a circle ends.
    this.#resolved.set(styleId, NO_STYLE);
    const style = this.#resolve(styleId, depth);
    this.#resolved.set(styleId, style);
    return style;
  }

  #resolve(styleId: string, depth: number): Style {
    const element = this.#byId.get(styleId) ?? null;
    const name = (attributeOf(childAt(element, 'w:name')) ?? styleId).toLowerCase();
    const base = this.#style(attributeOf(childAt(element, 'w:basedOn')), depth + 1);
    const paragraph = childAt(element, 'w:pPr');
    const own = numberPlaceOf(paragraph);
    return {
      name,
      look: laidOver(lookOf(childAt(element, 'w:rPr')), base.look),
      shade: shadeOf(paragraph) ?? base.shade,
      place: { numId: own.numId ?? base.place.numId, level: own.level ?? base.place.level },
      outline: outlineLevelOf(paragraph) ?? namedLevel(name) ?? base.outline,
    };
  }
}

const NO_STYLE: Style = { look: PLAIN_LOOK, shade: null, place: { numId: null, level: null }, outline: null, name: '' };

/** A style may be used without a definition: "Heading1" of a generator that writes no styles. */
function namedLevel(name: string): number | null {
  const level = /^heading ?([1-9])$/.exec(name);
  return level === null ? null : Number(level[1]);
}

const NOTHING: XmlElement = { name: '', attributes: new Map(), children: [] };

function isColoured(shading: XmlElement): boolean {
  return fillOf(shading) !== null;
}
