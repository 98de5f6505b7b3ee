import type { RateWindow } from './lane.ts';

/** No limit of a minute takes longer to be whole again. Longer windows are quotas of a day or a month: no pace follows from them. */
export const LONGEST_MINUTE_MS = 2 * 60_000;

/**
 * Whether a limit is of more than a minute. One that refills evenly tells the length of its window by how long it takes until what is
 * gone is there again.
 */
export function isLongWindow({ limitPerMinute, remaining, resetMs }: RateWindow): boolean {
  if (resetMs === null) return false;
  if (resetMs > LONGEST_MINUTE_MS) return true;
  if (limitPerMinute === null || remaining === null || remaining >= limitPerMinute) return false;
  return (limitPerMinute * resetMs) / (limitPerMinute - remaining) > LONGEST_MINUTE_MS;
}
