const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;
/** Nobody waits longer. Beyond it lies what no database stores as a whole number and no date can name. */
export const LONGEST_NAMED_WAIT_MS = 366 * DAY_MS;

const NUMBER = /^\d+(?:\.\d+)?$/;
/** `1d2h3m4.5s`, `6m0s`, `1.5h`, `20ms`; the look-ahead keeps the `m` of `ms` from being read as minutes. */
const DURATION = /^(?=.)(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?$/;
/** A date has a month's name or is ISO; anything looser reads "120" as the year 120. */
const DATE = /^(?:[A-Za-z]{3,9},? +\d|\d{4}-\d\d-\d\dT)/;
/** Numbers above these are times since 1970, in seconds and in milliseconds. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MILLISECONDS = 1e11;

/**
 * Milliseconds from now, out of seconds, a duration such as `6m0s`, a time since 1970, an HTTP date or an ISO date; past times are 0,
 * and nothing is longer than `LONGEST_NAMED_WAIT_MS`. `undefined` for anything else.
 */
export function waitMs(text: string, nowMs: number): number | undefined {
  const value = text.trim();
  if (NUMBER.test(value)) return numberMs(Number(value), nowMs);
  const duration = durationMs(value);
  if (duration !== undefined) return duration;
  const date = DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : bounded(date - nowMs);
}

/** Milliseconds of a duration such as `1d2h3m4.5s` or `20ms`, at most `LONGEST_NAMED_WAIT_MS`; `undefined` for anything else. */
export function durationMs(value: string): number | undefined {
  const match = DURATION.exec(value);
  if (match === null) return undefined;
  const [, days = 0, hours = 0, minutes = 0, rest = 0, unit] = match;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 * SECOND_MS;
  return bounded(whole + Number(rest) * (unit === 'ms' ? 1 : SECOND_MS));
}

function numberMs(value: number, nowMs: number): number {
  if (value >= EPOCH_MILLISECONDS) return bounded(value - nowMs);
  return bounded(value >= EPOCH_SECONDS ? value * SECOND_MS - nowMs : value * SECOND_MS);
}

function bounded(ms: number): number {
  return Math.min(LONGEST_NAMED_WAIT_MS, Math.max(0, Math.round(ms)));
}
