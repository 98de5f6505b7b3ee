import { isKnownFormat, listNumber } from './list-number.ts';
import type { NumberPlace, Styles } from './styles.ts';
import type { XmlElement } from './xml.ts';
import { attributeOf, childAt, elementsOf, switchOf } from './xml-tree.ts';

/** What Word writes before a paragraph. */
export type ListMark = { readonly kind: 'bullet'; readonly level: number } | { readonly kind: 'number'; readonly text: string };

type Level = {
  readonly start: number;
  readonly format: string;
  readonly text: string;
  readonly allDecimal: boolean;
  readonly restartAfter: number | null;
};

type List = { readonly id: string; readonly levels: ReadonlyMap<number, Level>; readonly levelOfStyle: ReadonlyMap<string, number> };

type Num = { readonly list: List; readonly starts: ReadonlyMap<number, number>; readonly levels: ReadonlyMap<number, Level> };

/** Longer ones are no numbers. */
const MAX_LABEL = 255;
/** Deepest level of a Word list. */
const MAX_LEVEL = 8;

/** Counts the numbered paragraphs of a document as Word does: it stores the rules, not the numbers. */
export class Numbering {
  readonly #nums: ReadonlyMap<string, Num>;
  readonly #styles: Styles;
  /** Per list the last number of each level. */
  readonly #counts = new Map<string, (number | undefined)[]>();
  readonly #begun = new Set<string>();
  /** Formats whose numbers come out as plain digits. */
  readonly unknownFormats = new Set<string>();

  constructor(root: XmlElement | null, styles: Styles) {
    this.#nums = numsOf(root, styleNums(styles));
    this.#styles = styles;
  }

  /** Mark of the next paragraph of that style and own numbering; `null` without one. Call it once for each, in order. */
  next(styleId: string | null, own: NumberPlace): ListMark | null {
    const inherited = this.#styles.place(styleId);
    const numId = own.numId ?? inherited.numId;
    const num = numId === null ? undefined : this.#nums.get(numId);
    if (numId === null || num === undefined) return null;
    const linked = this.#styles.lineage(styleId).find((id) => num.list.levelOfStyle.has(id));
    const level = own.level ?? num.list.levelOfStyle.get(linked ?? '') ?? inherited.level ?? 0;
    const rule = levelOf(num, level);
    if (rule === undefined || !(level >= 0 && level <= MAX_LEVEL)) return null;
    if (!isKnownFormat(rule.format)) this.unknownFormats.add(rule.format);
    const counts = this.#count(numId, num, level);
    if (rule.format === 'bullet') return { kind: 'bullet', level };
    const text = rule.format === 'none' && !rule.text.includes('%') ? rule.text : labelOf(num, level, counts);
    return text.trim() === '' ? null : { kind: 'number', text: text.trim() };
  }

  #count(numId: string, num: Num, level: number): readonly (number | undefined)[] {
    const counts = this.#counts.get(num.list.id) ?? [];
    this.#counts.set(num.list.id, counts);
    const fresh = `${numId} ${level}`;
    const restart = this.#begun.has(fresh) ? undefined : num.starts.get(level);
    this.#begun.add(fresh);
    const last = counts[level];
    counts[level] = restart ?? (last === undefined ? (levelOf(num, level)?.start ?? 1) : last + 1);
    for (let deeper = level + 1; deeper <= MAX_LEVEL; deeper += 1) {
      const after = levelOf(num, deeper)?.restartAfter ?? null;
      // `w:lvlRestart` 0: never; else the level (1-based) behind which it begins anew.
      if (after === null || (after > 0 && level < after)) counts[deeper] = undefined;
    }
    return counts;
  }
}

function levelOf(num: Num, level: number): Level | undefined {
  return num.levels.get(level) ?? num.list.levels.get(level);
}

function labelOf(num: Num, level: number, counts: readonly (number | undefined)[]): string {
  const own = levelOf(num, level);
  if (own === undefined) return '';
  return own.text.replace(/%([1-9])/g, (_, digit: string) => {
    const rule = levelOf(num, Number(digit) - 1);
    const count = counts[Number(digit) - 1] ?? rule?.start ?? 1;
    const format = rule?.format ?? 'decimal';
    return listNumber(count, own.allDecimal && format !== 'none' ? 'decimal' : format);
  });
}

/** Lists may be defined by a numbering style, which names a num, which names the list. */
function styleNums(styles: Styles): (styleId: string) => string | null {
  return (styleId) => styles.place(styleId).numId;
}

function numsOf(root: XmlElement | null, numOfStyle: (styleId: string) => string | null): ReadonlyMap<string, Num> {
  const lists = new Map(elementsOf(root, 'w:abstractNum').map((element) => [attributeOf(element, 'w:abstractNumId') ?? '', element]));
  const byNum = new Map(
    elementsOf(root, 'w:num').map((num) => [
      attributeOf(num, 'w:numId') ?? '',
      lists.get(attributeOf(childAt(num, 'w:abstractNumId')) ?? ''),
    ]),
  );
  const known = new Map<XmlElement, List>();
  const listOf = (element: XmlElement): List => {
    const linked = numOfStyle(attributeOf(childAt(element, 'w:numStyleLink')) ?? '');
    const target = (linked === null ? undefined : byNum.get(linked)) ?? element;
    const list = known.get(target) ?? listFrom(target);
    known.set(target, list);
    return list;
  };
  return new Map(
    elementsOf(root, 'w:num').flatMap((num) => {
      const numId = attributeOf(num, 'w:numId') ?? '';
      const element = byNum.get(numId);
      // 0 says: no numbering.
      return element === undefined || numId === '0' ? [] : [[numId, { list: listOf(element), ...overridesOf(num) }] as const];
    }),
  );
}

function listFrom(element: XmlElement): List {
  const levels = elementsOf(element, 'w:lvl');
  return {
    id: attributeOf(element, 'w:abstractNumId') ?? '',
    levels: new Map(levels.map((level) => [levelIndex(level), levelFrom(level)])),
    levelOfStyle: new Map(
      levels.flatMap((level) => {
        const style = attributeOf(childAt(level, 'w:pStyle'));
        return style === null ? [] : [[style, levelIndex(level)] as const];
      }),
    ),
  };
}

function overridesOf(num: XmlElement): Pick<Num, 'starts' | 'levels'> {
  const overrides = elementsOf(num, 'w:lvlOverride');
  return {
    starts: new Map(
      overrides.flatMap((override) => {
        const start = attributeOf(childAt(override, 'w:startOverride'));
        return start === null ? [] : [[levelIndex(override), wholeNumber(start, 1)] as const];
      }),
    ),
    levels: new Map(
      overrides.flatMap((override) => {
        const level = childAt(override, 'w:lvl');
        return level === null ? [] : [[levelIndex(override), levelFrom(level)] as const];
      }),
    ),
  };
}

function levelIndex(element: XmlElement): number {
  return wholeNumber(attributeOf(element, 'w:ilvl'), 0);
}

function levelFrom(level: XmlElement): Level {
  const restart = attributeOf(childAt(level, 'w:lvlRestart'));
  return {
    start: wholeNumber(attributeOf(childAt(level, 'w:start')), 1),
    format: attributeOf(childAt(level, 'w:numFmt')) ?? 'decimal',
    text: (attributeOf(childAt(level, 'w:lvlText')) ?? '').slice(0, MAX_LABEL),
    allDecimal: switchOf(childAt(level, 'w:isLgl')) === true,
    restartAfter: restart === null ? null : wholeNumber(restart, 0),
  };
}

function wholeNumber(value: string | null, otherwise: number): number {
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : otherwise;
}
