import type { Failure } from '../domain/reason.ts';
import type { ErrorFacts } from './error-facts.ts';

const CONCURRENCY = /concurren|simultaneous|in parallel/;
const TOKENS =
  /\btokens? (?:per|rate|limit|usage)|(?:input|output|prompt|request|completion) tokens|\bt(?:pm|pd)\b|tokens? has exceeded|tokens_limit/;
const REQUESTS = /\brequests? (?:per|rate|limit)|\br(?:pm|pd|ps)\b|number of requests|call rate|requests? has exceeded/;

/** `Limit 30000, Used 29937, Requested 385`: what is asked for at once can be more than there ever is. */
const LIMIT_AND_REQUEST = /limit:? ([\d,]+)\b.{0,60}?\brequested:? ([\d,]+)/;

const LONG_WINDOW = /per[- ]?(?:day|week|month)|\b[rt]pd\b|\b(?:daily|weekly|monthly)\b/;

/** What a rate limit counts: by the vendor's type, the quota's name, the words, or the count of which nothing is left. */
export function limitedBy(facts: ErrorFacts, header: (name: string) => string | null): NonNullable<Failure['limited']> | null {
  const { codes, quotas, text } = facts;
  if (CONCURRENCY.test(text) || codes.some((code) => CONCURRENCY.test(code))) return 'concurrency';
  if (codes.includes('tokens') || quotas.some((quota) => quota.includes('token')) || TOKENS.test(text)) return 'tokens';
  if (codes.includes('requests') || quotas.some((quota) => quota.includes('request')) || REQUESTS.test(text)) return 'requests';
  const isOut = (unit: string): boolean => header(`x-ratelimit-remaining-${unit}`)?.trim() === '0';
  if (isOut('requests') !== isOut('tokens')) return isOut('tokens') ? 'tokens' : 'requests';
  return null;
}

/** The one request is larger than all that the limit allows: no pause mends that. */
export function exceedsWholeLimit({ text }: ErrorFacts): boolean {
  if (text.includes('request too large')) return true;
  const [, limit, requested] = LIMIT_AND_REQUEST.exec(text) ?? [];
  return limit !== undefined && requested !== undefined && numberOf(requested) > numberOf(limit);
}

/** The limit is of a day or longer. */
export function namesLongWindow({ quotas, text }: ErrorFacts): boolean {
  return LONG_WINDOW.test(text) || quotas.some((quota) => LONG_WINDOW.test(quota));
}

/**
 * Google's quotas of a day begin anew at midnight in California; the delay that it names beside them is that of a minute's. `null` for
 * other limits.
 */
export function googleDayEndsMs({ quotas }: ErrorFacts, nowMs: number): number | null {
  if (!quotas.some((quota) => quota.includes('perday'))) return null;
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Los_Angeles', timeStyle: 'medium' }).format(nowMs);
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return (24 * 3600 - (hours * 3600 + minutes * 60 + seconds)) * 1000;
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}
