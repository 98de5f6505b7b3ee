/** Red, green, blue and opacity, each 0 to 255; `null` where only a browser knows it. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number] | null;

export const WHITE: Color = [255, 255, 255, 255];
export const BLACK: Color = [0, 0, 0, 255];
/** Differences of brightness that no eye sees. */
const UNSEEN = 8;

const NAMED: ReadonlyMap<string, Color> = new Map<string, Color>([
  ['white', WHITE],
  ['black', BLACK],
  ['snow', [255, 250, 250, 255]],
  ['ivory', [255, 255, 240, 255]],
  ['whitesmoke', [245, 245, 245, 255]],
  ['red', [255, 0, 0, 255]],
  ['transparent', [0, 0, 0, 0]],
]);

/** The colour that a value names: some names, `#hex`, `rgb()`. */
export function colorOf(value: string): Color {
  const named = NAMED.get(value);
  if (named !== undefined) return named;
  const hex = /^#([0-9a-f]{3,8})$/.exec(value)?.[1];
  if (hex !== undefined) return hexColor(hex);
  const parts = /^rgba?\(([\d\s.,%/]+)\)$/
    .exec(value)?.[1]
    ?.split(/[\s,/]+/)
    .filter((part) => part !== '');
  if (parts === undefined || parts.length < 3) return null;
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseFloat(part) * (part.endsWith('%') ? 2.55 : 1));
  const alpha = parts[3] === undefined ? 1 : Number.parseFloat(parts[3]) / (parts[3].endsWith('%') ? 100 : 1);
  return [red, green, blue, alpha * 255];
}

function hexColor(hex: string): Color {
  const digits = hex.length <= 4 ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? []);
  if (digits.length < 3 || hex.length === 5 || hex.length === 7) return null;
  const [red = 0, green = 0, blue = 0, alpha = 255] = digits.map((pair) => Number.parseInt(pair, 16));
  return [red, green, blue, alpha];
}

/** Whether text of one colour cannot be seen on the other; false where one of them is not known. */
export function isUnseen(color: Color, background: Color): boolean {
  if (color?.[3] === 0) return true;
  if (color === null || background === null) return false;
  return color.every((value, index) => Math.abs(value - (background[index] ?? 0)) <= UNSEEN);
}
