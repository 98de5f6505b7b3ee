import { durationMs, waitMs } from '../domain/duration.ts';

const IN_WORDS = /(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?(ms|milliseconds?|seconds?|s|minutes?|m|hours?|h|days?|d)\b/i;
const MIXED_IN_WORDS = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|[dhms])){2,})/i;
const GOOGLE_DELAY = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?s)"/;
/** OpenRouter repeats its headers inside the body. */
const RESET_IN_BODY = /"x-ratelimit-reset"\s*:\s*"?(\d{10,13})\b/i;

/** What a server says about when to ask again. `header` looks a header up by its lower-case name. */
export type RetryHints = { readonly header: (name: string) => string | null; readonly body: string };

/**
 * Milliseconds from now that the server asks to wait: `retry-after-ms`, then `retry-after`, then the words of the body, then when its
 * limit is reset. 0 means now; `undefined` when it says nothing that can be understood. Never NaN, never negative, and at most
 * `LONGEST_NAMED_WAIT_MS`.
 */
export function retryAfterMs({ header, body }: RetryHints, nowMs: number): number | undefined {
  const milliseconds = header('retry-after-ms');
  const exact = milliseconds === null ? undefined : durationMs(`${milliseconds.trim()}ms`);
  return exact ?? read(header('retry-after'), nowMs) ?? waitInWords(body) ?? read(header('x-ratelimit-reset') ?? resetIn(body), nowMs);
}

function read(text: string | null, nowMs: number): number | undefined {
  return text === null ? undefined : waitMs(text, nowMs);
}

function resetIn(body: string): string | null {
  return RESET_IN_BODY.exec(body)?.[1] ?? null;
}

function waitInWords(body: string): number | undefined {
  const google = GOOGLE_DELAY.exec(body)?.[1];
  if (google !== undefined) return durationMs(google);
  const mixed = MIXED_IN_WORDS.exec(body)?.[1];
  if (mixed !== undefined) return durationMs(mixed);
  const [, amount, unit] = IN_WORDS.exec(body) ?? [];
  return amount === undefined || unit === undefined ? undefined : durationMs(`${amount}${letterOf(unit)}`);
}

/** `ms` of milliseconds, else the first letter. */
function letterOf(unit: string): string {
  return /^(?:ms|milli)/i.test(unit) ? 'ms' : unit.charAt(0).toLowerCase();
}
