/** Values of CSS as far as they tell whether anything is seen. Longhands only: `longhand` gives the others' effect. */
const NOTHING = /^(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?$/;
/** So far off that no window shows it. */
const FAR_PX = 500;
const PX_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['px', 1],
  ['em', 16],
  ['rem', 16],
  ['pt', 1.33],
  ['vw', 10],
  ['vh', 10],
  ['%', 10],
  ['in', 96],
  ['cm', 38],
  ['mm', 4],
]);

/** Whether a length or share is nothing: `0`, `0.0px`, `0%`. */
export function isNothing(value: string | undefined): boolean {
  return value !== undefined && NOTHING.test(value);
}

/** Whether a length is nothing, or the one pixel of text for screen readers only. */
export function isTiny(value: string | undefined): boolean {
  return isNothing(value) || value === '1px';
}

/** Whether a length points far out of the window: `-9999px`, `-100em`. */
export function isFarOff(value: string | undefined): boolean {
  const found = /^-(\d+(?:\.\d+)?|\.\d+)(\D+)$/.exec(value ?? '');
  return found !== null && Number(found[1]) * (PX_PER_UNIT.get(found[2] ?? '') ?? 0) >= FAR_PX;
}

/** Whether a clip leaves nothing of the box: `rect(0,0,0,0)`, `rect(1px, 1px, 1px, 1px)`, `inset(50%)`, `circle(0)`. */
export function isClippedAway(value: string | undefined): boolean {
  if (value === undefined) return false;
  const inner = /^(rect|inset|circle|polygon)\(([^)]*)\)$/.exec(value);
  if (inner === null) return false;
  const sizes = (inner[2] ?? '').split(/[\s,]+/).filter((size) => size !== '');
  if (inner[1] === 'inset') return sizes.every((size) => Number.parseFloat(size) >= 50 && size.endsWith('%'));
  if (inner[1] === 'circle') return isNothing(sizes[0]);
  return sizes.length > 0 && sizes.every(isTiny);
}

/** Whether a transformation leaves nothing in the window. */
export function isTransformedAway(value: string | undefined): boolean {
  const found = /^(scale[xy]?|translate[xy]?)\(\s*([^,)]*)/.exec(value ?? '');
  if (found === null) return false;
  return found[1]?.startsWith('scale') === true ? isNothing(found[2]?.trim()) : isFarOff(found[2]?.trim());
}

/** Property and value that a shorthand comes to; others as they are. `null` when it says nothing of what is shown. */
export function longhand(property: string, value: string): readonly [property: string, value: string] | null {
  if (property === 'font') return ['font-size', /^(?:[a-z-]+\s+)*0(?:[a-z%]*)(?:\s|\/)/.test(value) ? '0' : '1em of its own'];
  const name = SHORTHANDS.get(property) ?? property;
  return TRACKED.has(name) ? [name, value] : null;
}

const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['background', 'background-color'],
  ['background-image', 'background-color'],
  ['text-decoration-line', 'text-decoration'],
  ['list-style-type', 'list-style'],
  ['animation-name', 'animation'],
  ['overflow-x', 'overflow'],
  ['overflow-y', 'overflow'],
]);

const TRACKED: ReadonlySet<string> = new Set(
  [
    'display visibility opacity content-visibility font-size color background-color animation position left right top bottom',
    'margin-left text-indent clip clip-path transform width height max-width max-height overflow',
    'text-decoration vertical-align list-style',
  ]
    .join(' ')
    .split(' '),
);

/** Whether the value can serve to hide; such a value counts only where it is certain that it applies. */
export function canHide(property: string, value: string): boolean {
  switch (property) {
    case 'display':
      return value === 'none';
    case 'visibility':
    case 'content-visibility':
      return value === 'hidden' || value === 'collapse';
    case 'opacity':
    case 'font-size':
      return isNothing(value);
    case 'position':
      return value === 'absolute' || value === 'fixed';
    case 'overflow':
      return value === 'hidden' || value === 'clip';
    case 'text-decoration':
      return /\bline-through\b/.test(value);
    case 'clip':
    case 'clip-path':
      return isClippedAway(value);
    case 'transform':
      return isTransformedAway(value);
    case 'color':
    case 'background-color':
    case 'animation':
      return false;
    default:
      return isTiny(value) || isFarOff(value);
  }
}
