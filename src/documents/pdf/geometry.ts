/** A rectangle, in points; `top` is above `bottom`. */
export type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** `x' = ax + cy + e`, `y' = bx + dy + f`. */
export type Matrix = {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly e: number;
  readonly f: number;
};

/** Leaves everything where it is. */
export const IDENTITY: Matrix = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };

/** The transformation `inner`, then `outer`. */
export function concatenated(inner: Matrix, outer: Matrix): Matrix {
  return {
    a: inner.a * outer.a + inner.b * outer.c,
    b: inner.a * outer.b + inner.b * outer.d,
    c: inner.c * outer.a + inner.d * outer.c,
    d: inner.c * outer.b + inner.d * outer.d,
    e: inner.e * outer.a + inner.f * outer.c + outer.e,
    f: inner.e * outer.b + inner.f * outer.d + outer.f,
  };
}

/** The upright rectangle around a transformed one. */
export function transformed(box: Box, matrix: Matrix): Box {
  const corners = [box.left, box.right].flatMap((x) =>
    [box.bottom, box.top].map((y) => ({ x: matrix.a * x + matrix.c * y + matrix.e, y: matrix.b * x + matrix.d * y + matrix.f })),
  );
  const xs = corners.map(({ x }) => x);
  const ys = corners.map(({ y }) => y);
  return { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
}

/** What two rectangles share; `null` when that is nothing. */
export function intersection(one: Box, other: Box): Box | null {
  const left = Math.max(one.left, other.left);
  const right = Math.min(one.right, other.right);
  const bottom = Math.max(one.bottom, other.bottom);
  const top = Math.min(one.top, other.top);
  return left < right && bottom < top ? { left, right, bottom, top } : null;
}

/** In square points. */
export function areaOf(box: Box): number {
  return (box.right - box.left) * (box.top - box.bottom);
}

/** The smallest rectangle around both. */
export function union(one: Box, other: Box): Box {
  return {
    left: Math.min(one.left, other.left),
    right: Math.max(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
    top: Math.max(one.top, other.top),
  };
}
