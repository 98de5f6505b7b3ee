export type Bounds = { readonly min: number | null; readonly max: number | null };

/** Whether a number lies within the bounds, both included; `null` bounds nothing. */
export function isWithin(value: number, { min, max }: Bounds): boolean {
  return (min === null || value >= min) && (max === null || value <= max);
}

/** `at least 2`, `at most 5`, `2 to 5`, `exactly 3`; `any number` without bounds. */
export function showBounds({ min, max }: Bounds): string {
  if (min === null) return max === null ? 'any number' : `at most ${max}`;
  if (max === null) return `at least ${min}`;
  return min === max ? `exactly ${min}` : `${min} to ${max}`;
}
