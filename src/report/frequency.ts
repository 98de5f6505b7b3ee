/** Pairs with their counts, most frequent first, ties by name: an order that does not depend on what came first. */
export function byFrequency<Name extends string>(counts: ReadonlyMap<Name, number>): readonly (readonly [Name, number])[] {
  return [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
}
