import type { Json } from '../domain/canonical-json.ts';
import type { Span } from '../domain/document.ts';

/** An item of one part's array. `print`: what it has in common with an item that says the same; `null`: it is like no other. */
export type PartItem = { readonly value: Json; readonly span: Span; readonly print: string | null; readonly json: () => string };

/**
 * The items of all parts, without those that an earlier part gave already. One part may find several things in the same words: of each
 * print as many stay as the part with the most of them has. Of the twins, those that are equal in everything go first.
 */
export function distinctItems(parts: readonly (readonly PartItem[])[]): readonly PartItem[] {
  const kept: PartItem[] = [];
  const known = new Map<string, PartItem[]>();
  for (const items of parts) {
    const twins = twinsAmong(items, known);
    for (const item of items) {
      if (twins.has(item)) continue;
      kept.push(item);
      if (item.print !== null) addTo(known, item.print, item);
    }
  }
  return kept;
}

function twinsAmong(items: readonly PartItem[], known: ReadonlyMap<string, readonly PartItem[]>): ReadonlySet<PartItem> {
  const twins = new Set<PartItem>();
  for (const [print, here] of byPrint(items)) {
    const before = known.get(print) ?? [];
    const equal = equalTo(before, here);
    const alike = here.filter((item) => !equal.has(item)).slice(0, before.length - equal.size);
    for (const item of [...equal, ...alike]) twins.add(item);
  }
  return twins;
}

/** Those of `here` that have an equal of their own in `before`. */
function equalTo(before: readonly PartItem[], here: readonly PartItem[]): ReadonlySet<PartItem> {
  if (before.length === 0) return new Set();
  const left = new Map<string, number>();
  for (const { json } of before) left.set(json(), (left.get(json()) ?? 0) + 1);
  const taken = here.filter(({ json }) => {
    const count = left.get(json()) ?? 0;
    left.set(json(), count - 1);
    return count > 0;
  });
  return new Set(taken);
}

function byPrint(items: readonly PartItem[]): ReadonlyMap<string, readonly PartItem[]> {
  const groups = new Map<string, PartItem[]>();
  for (const item of items) {
    if (item.print === null) continue;
    addTo(groups, item.print, item);
  }
  return groups;
}

function addTo(groups: Map<string, PartItem[]>, print: string, item: PartItem): void {
  const group = groups.get(print);
  if (group === undefined) groups.set(print, [item]);
  else group.push(item);
}
