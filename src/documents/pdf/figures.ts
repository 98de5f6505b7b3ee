/** Sum of a figure over items. */
export function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** A share for a person, such as `9 %`. */
export function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}

/** A number with its noun, such as `1 page` or `2 pages`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Page numbers for a person, neighbours joined: `page 4`, `pages 1-3, 7`. At most ten groups are named. */
export function pageList(numbers: readonly number[]): string {
  const groups: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const open = groups.at(-1);
    if (open !== undefined && open.last + 1 === number) open.last = number;
    else groups.push({ first: number, last: number });
  }
  const named = groups.slice(0, MOST_GROUPS).map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  const more = groups.length > MOST_GROUPS ? ', …' : '';
  return `page${numbers.length === 1 ? '' : 's'} ${named.join(', ')}${more}`;
}

const MOST_GROUPS = 10;
