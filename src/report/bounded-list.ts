/** The first `limit` items by an order, however many come, and how many came. */
export type BoundedList<T> = { readonly total: number; readonly kept: readonly T[] };

export type ListBuilder<T> = { add(item: T): void; finish(): BoundedList<T> };

/** Items that compare equal keep the order in which they came. Without `compare` the first ones are kept. */
export function boundedList<T>(limit: number, compare: (a: T, b: T) => number = () => 0): ListBuilder<T> {
  const kept: T[] = [];
  let total = 0;
  return {
    add(item) {
      total += 1;
      let place = kept.length;
      for (let before = kept[place - 1]; before !== undefined && compare(item, before) < 0; before = kept[place - 1]) place -= 1;
      if (place >= limit) return;
      kept.splice(place, 0, item);
      if (kept.length > limit) kept.pop();
    },
    finish: () => ({ total, kept: [...kept] }),
  };
}
