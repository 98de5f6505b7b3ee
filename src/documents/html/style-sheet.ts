import { declarationsOf, rulesOf } from './css-text.ts';
import { canHide, longhand } from './css-values.ts';
import { attribute, type Element, everyElement } from './elements.ts';

/** Values that hold for an element, by longhand. */
export type Style = ReadonlyMap<string, string>;

type Ranked = { readonly property: string; readonly value: string; readonly rank: number };
type Rule = { readonly selector: Selector; readonly ranked: readonly Ranked[] };
type Selector = {
  readonly tag: string | null;
  readonly id: string | null;
  readonly classes: readonly string[];
  /** Whether the selector asks for nothing else, such as a parent or an attribute. */
  readonly isWhole: boolean;
};

/** What decides first, between rules of the same importance. */
const ORIGIN = { attribute: 0, sheet: 1, uncertain: 2, inline: 3 } as const;
const IMPORTANT = 4;
const RANK_PER_ORIGIN = 1e12;
const RANK_PER_SPECIFICITY = 1e6;
const MOST_SPECIFIC = 99_999;
/** Each element may have to be held against all of them. */
const MOST_RULES = 1000;
const NO_STYLE: Style = new Map();

/**
 * The styles that a page carries, as far as they can be told without a browser: selectors of tag, id and classes. A rule that only a
 * browser can test (`.a .b`, `[x]`, `@media (…)`) cannot hide, but it can show what another one hides.
 */
export class StyleSheet {
  /** Whether there are styles outside of the page. */
  readonly hasOthers: boolean;
  readonly #rules = new Map<string, Rule[]>();
  readonly #known = new Map<string, readonly Ranked[]>();
  #count = 0;

  constructor(root: Element) {
    let hasOthers = false;
    for (const element of everyElement(root)) {
      if (element.tagName === 'link' && /\bstylesheet\b/i.test(attribute(element, 'rel') ?? '')) hasOthers = true;
      if (element.tagName !== 'style' || attribute(element, 'media')?.trim().toLowerCase() === 'print') continue;
      const sheet = element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
      if (/@import/i.test(sheet)) hasOthers = true;
      this.#add(sheet);
    }
    this.hasOthers = hasOthers;
  }

  styleOf(element: Element): Style {
    if (element.attrs.length === 0 && !this.#rules.has(element.tagName)) return NO_STYLE;
    const inline = attribute(element, 'style');
    const ranked = [...attributeStyle(element), ...this.#matching(element), ...(inline === null ? [] : inlineStyle(inline))];
    return ranked.length === 0 ? NO_STYLE : winners(ranked);
  }

  #add(sheet: string): void {
    for (const { selectors, body, isCertain } of rulesOf(sheet)) {
      const declared = longhands(body);
      if (declared.length === 0) continue;
      for (const text of selectors) {
        const selector = selectorOf(text);
        if (selector === null || this.#count === MOST_RULES) continue;
        const origin = isCertain && selector.isWhole ? ORIGIN.sheet : ORIGIN.uncertain;
        const ranked = rankedBy(declared, origin, specificity(selector) * RANK_PER_SPECIFICITY + this.#count);
        if (ranked.length === 0) continue;
        this.#count += 1;
        const key = keyOf(selector);
        const known = this.#rules.get(key);
        if (known === undefined) this.#rules.set(key, [{ selector, ranked }]);
        else known.push({ selector, ranked });
      }
    }
  }

  #matching(element: Element): readonly Ranked[] {
    if (this.#count === 0) return [];
    const [id, names] = [attribute(element, 'id'), attribute(element, 'class')];
    const key = `${element.tagName}\n${id ?? ''}\n${names ?? ''}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const classes = new Set(names?.split(/\s+/));
    const found: Ranked[] = [];
    for (const each of [element.tagName, `#${id}`, ...[...classes].map((name) => `.${name}`)]) {
      for (const { selector, ranked } of this.#rules.get(each) ?? []) {
        if (matches(selector, element.tagName, id, classes)) found.push(...ranked);
      }
    }
    this.#known.set(key, found);
    return found;
  }
}

function matches(selector: Selector, tag: string, id: string | null, classes: ReadonlySet<string>): boolean {
  if (selector.tag !== null && selector.tag !== tag) return false;
  if (selector.id !== null && selector.id !== id) return false;
  for (const name of selector.classes) if (!classes.has(name)) return false;
  return true;
}

/** States that a page at rest is not in, and boxes that hold no text of the page. */
const NOT_AT_REST = /:(?:hover|focus|active|visited|before|after|first-line|first-letter|placeholder|selection|marker|-|:)/;

/** The last part of a selector, the one that the element itself must match; `null` where it says nothing of tag, id or class. */
function selectorOf(text: string): Selector | null {
  const trimmed = text.trim();
  if (NOT_AT_REST.test(trimmed)) return null;
  const last = trimmed.slice(lastPart(trimmed));
  const [simple = '', tag = '', marks = ''] = /^([a-zA-Z][\w-]*|\*)?((?:[.#][\w-]+)*)/.exec(last) ?? [];
  const names = marks.match(/[.#][^.#]+/g) ?? [];
  const [id] = names.filter((name) => name.startsWith('#'));
  const classes = names.filter((name) => name.startsWith('.')).map((name) => name.slice(1));
  if (id === undefined && classes.length === 0 && (tag === '' || tag === '*')) return null;
  return {
    tag: tag === '' || tag === '*' ? null : tag.toLowerCase(),
    id: id?.slice(1) ?? null,
    classes,
    isWhole: simple === trimmed,
  };
}

/** Where the last part begins. A loop: a pattern that is tied to the end takes time with the square of the length. */
function lastPart(selector: string): number {
  let at = selector.length;
  while (at > 0 && !/[\s>+~]/.test(selector[at - 1] ?? '')) at -= 1;
  return at;
}

function specificity({ tag, id, classes }: Selector): number {
  return Math.min(MOST_SPECIFIC, (id === null ? 0 : 10_000) + classes.length * 100 + (tag === null ? 0 : 1));
}

function keyOf({ tag, id, classes: [first] }: Selector): string {
  if (id !== null) return `#${id}`;
  return first === undefined ? (tag ?? '') : `.${first}`;
}

type Longhand = { readonly property: string; readonly value: string; readonly isImportant: boolean };

function longhands(css: string): readonly Longhand[] {
  return declarationsOf(css).flatMap(({ property, value, isImportant }) => {
    const found = longhand(property, value);
    return found === null ? [] : [{ property: found[0], value: found[1], isImportant }];
  });
}

function rankedBy(declared: readonly Longhand[], origin: number, within: number): readonly Ranked[] {
  return declared
    .filter(({ property, value }) => origin !== ORIGIN.uncertain || !canHide(property, value))
    .map(({ property, value, isImportant }) => ({
      property,
      // Which of several colours holds, only a browser knows.
      value: origin === ORIGIN.uncertain && property.endsWith('color') ? 'uncertain' : value,
      rank: (origin + (isImportant ? IMPORTANT : 0)) * RANK_PER_ORIGIN + within,
    }));
}

function inlineStyle(css: string): readonly Ranked[] {
  return rankedBy(longhands(css), ORIGIN.inline, 0);
}

/** Colours that attributes give, as old pages have them. */
function attributeStyle(element: Element): readonly Ranked[] {
  const rank = ORIGIN.attribute;
  const of = (property: string, name: string): readonly Ranked[] => {
    const value = attribute(element, name)?.trim().toLowerCase();
    return value === undefined ? [] : [{ property, value, rank }];
  };
  const color = element.tagName === 'font' ? of('color', 'color') : element.tagName === 'body' ? of('color', 'text') : [];
  const picture = of('background-color', 'background').map((each) => ({ ...each, value: 'picture' }));
  return [...color, ...of('background-color', 'bgcolor'), ...picture];
}

/** The declaration of the highest rank for each property; the later of two. */
function winners(ranked: readonly Ranked[]): Style {
  const best = new Map<string, Ranked>();
  for (const each of ranked) {
    const other = best.get(each.property);
    if (other === undefined || each.rank >= other.rank) best.set(each.property, each);
  }
  return new Map([...best].map(([property, { value }]) => [property, value]));
}
