const SECOND_MS = 1000;
const NUMBER = /^\d+(?:\.\d+)?$/;
/** `1d2h3m4.5s`, `6m0s`, `20ms`; the look-ahead keeps the `m` of `ms` from being read as minutes. */
const DURATION = /^(?=.)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?$/;
/** A date has a month's name or is ISO; anything looser reads "120" as the year 120. */
const DATE = /^(?:[A-Za-z]{3,9},? +\d|\d{4}-\d\d-\d\dT)/;
/** Numbers above these are times since 1970, in seconds and in milliseconds. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MILLISECONDS = 1e11;

const IN_WORDS = /(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?(ms|milliseconds?|seconds?|s|minutes?|m|hours?|h)\b/i;
const MIXED_IN_WORDS = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|[dhms])){2,})/i;
const GOOGLE_DELAY = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

/** What a server says about when to ask again. `header` looks a header up by its lower-case name. */
export type RetryHints = { readonly header: (name: string) => string | null; readonly body: string };

/**
 * Milliseconds from now that the server asks to wait: `retry-after-ms`, then `retry-after`, then the words of the body. 0 means
 * now; `undefined` when it says nothing that can be understood. Never NaN, never negative, without an upper limit.
 */
export function retryAfterMs(hints: RetryHints, nowMs: number): number | undefined {
  const milliseconds = hints.header('retry-after-ms')?.trim();
  if (milliseconds !== undefined && NUMBER.test(milliseconds)) return Math.round(Number(milliseconds));
  const header = hints.header('retry-after');
  return (header === null ? undefined : waitMs(header, nowMs)) ?? waitInWords(hints.body);
}

/** Reads seconds, a duration such as `6m0s`, a time since 1970, an HTTP date or an ISO date; past times are 0. */
export function waitMs(text: string, nowMs: number): number | undefined {
  const value = text.trim();
  if (NUMBER.test(value)) return numberMs(Number(value), nowMs);
  const duration = durationMs(value);
  if (duration !== undefined) return duration;
  const date = DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function numberMs(value: number, nowMs: number): number {
  if (value >= EPOCH_MILLISECONDS) return Math.max(0, Math.round(value - nowMs));
  if (value >= EPOCH_SECONDS) return Math.max(0, Math.round(value * SECOND_MS - nowMs));
  return Math.round(value * SECOND_MS);
}

function durationMs(value: string): number | undefined {
  const match = DURATION.exec(value);
  if (match === null) return undefined;
  const [, days = 0, hours = 0, minutes = 0, rest = 0, unit] = match;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 * SECOND_MS;
  return Math.round(whole + Number(rest) * (unit === 'ms' ? 1 : SECOND_MS));
}

function waitInWords(body: string): number | undefined {
  const google = GOOGLE_DELAY.exec(body)?.[1];
  if (google !== undefined) return Math.round(Number(google) * SECOND_MS);
  const mixed = MIXED_IN_WORDS.exec(body)?.[1];
  if (mixed !== undefined) return durationMs(mixed);
  const match = IN_WORDS.exec(body);
  return match === null ? undefined : Math.round(Number(match[1]) * unitMs(match[2] ?? 's'));
}

function unitMs(unit: string): number {
  if (/^(?:ms|milli)/i.test(unit)) return 1;
  if (/^m/i.test(unit)) return 60 * SECOND_MS;
  return /^h/i.test(unit) ? 3600 * SECOND_MS : SECOND_MS;
}
