/** Numbers by chance that come again for the same seed. */
export type Random = {
  /** In [0, 1). */
  readonly next: () => number;
  /** In [low, high]. */
  readonly between: (low: number, high: number) => number;
  readonly chance: (share: number) => boolean;
  /** `undefined` of an empty list. */
  readonly pick: <Item>(items: readonly Item[]) => Item | undefined;
  readonly shuffled: <Item>(items: readonly Item[]) => Item[];
};

/** Mulberry32. A seed may have words, so that a part of the work has numbers of its own, whatever the order of events. */
export function seeded(...seed: readonly (string | number)[]): Random {
  let state = hash(seed.join('/'));
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + next() * (high - low);
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (items) => items[Math.floor(next() * items.length)],
    shuffled: (items) =>
      items
        .map((item) => ({ item, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value;
}
