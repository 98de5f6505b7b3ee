/** Rows kept above and below what is seen, so that a scroll shows no gap. */
const OVERSCAN = 12;

/** The window moves by so many rows at once, so that most scrolls draw nothing. */
const STRIDE = 8;

/** The rows `[first, last)` to draw. */
export type RowWindow = { readonly first: number; readonly last: number };

export function rowWindow(scrollTop: number, viewHeight: number, rowHeight: number, count: number): RowWindow {
  const top = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const shown = Math.ceil(Math.max(0, viewHeight) / rowHeight) + 1;
  const step = Math.floor(Math.min(top, count) / STRIDE) * STRIDE;
  return { first: Math.max(0, step - OVERSCAN), last: Math.min(count, step + STRIDE + shown + OVERSCAN) };
}

/** Where to scroll so that a row is seen whole, below a header that covers the top; as it is when it is seen. */
export function scrollFor(row: number, scrollTop: number, viewHeight: number, rowHeight: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + viewHeight ? top + rowHeight - viewHeight : scrollTop;
}
