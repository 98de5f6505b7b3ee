import { waitMs } from '../domain/duration.ts';
import type { RateReport, RateWindow } from '../domain/lane/lane.ts';
import { isLongWindow, LONGEST_MINUTE_MS } from '../domain/lane/long-window.ts';

type Header = (name: string) => string | null;
type Names = { readonly limit: string; readonly remaining: string; readonly reset: string };

/**
 * What a response's headers tell of its server's limits: those of OpenAI, Azure, Groq and the proxies that copy them, of Anthropic,
 * and of OpenRouter. `null` when they tell nothing. `header` takes a lower-case name.
 */
export function readRateHeaders(header: Header, nowMs: number): RateReport | null {
  const requests = requestsOf(header, nowMs);
  const tokens = tokensOf(header, nowMs);
  return requests === null && tokens === null ? null : { requests, tokens };
}

/** These refill evenly. Groq's, and some of OpenAI's, are of a day. */
function requestsOf(header: Header, nowMs: number): RateWindow | null {
  const window = windowOf(header, openAiNames('requests'), nowMs);
  if (window !== null) return isLongWindow(window) ? { ...window, limitPerMinute: null } : window;
  return windowOf(header, anthropicNames('requests'), nowMs) ?? fixedWindow(windowOf(header, OPEN_ROUTER, nowMs));
}

function tokensOf(header: Header, nowMs: number): RateWindow | null {
  const window = windowOf(header, openAiNames('tokens'), nowMs);
  if (window !== null) return window;
  const of = (unit: string): RateWindow | null => windowOf(header, anthropicNames(unit), nowMs);
  return withOutput(tighter(of('tokens'), of('input-tokens')), of('output-tokens'));
}

const OPEN_ROUTER: Names = { limit: 'x-ratelimit-limit', remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' };

function openAiNames(unit: string): Names {
  return { limit: `x-ratelimit-limit-${unit}`, remaining: `x-ratelimit-remaining-${unit}`, reset: `x-ratelimit-reset-${unit}` };
}

function anthropicNames(unit: string): Names {
  const prefix = `anthropic-ratelimit-${unit}`;
  return { limit: `${prefix}-limit`, remaining: `${prefix}-remaining`, reset: `${prefix}-reset` };
}

/** A limit of 0 or -1, as Azure sends where it knows none, says nothing; then neither does what remains of it. */
function windowOf(header: Header, names: Names, nowMs: number): RateWindow | null {
  const limit = numberIn(header(names.limit));
  if (limit !== null && limit <= 0) return null;
  const left = numberIn(header(names.remaining));
  const remaining = left === null || left < 0 ? null : left;
  const reset = header(names.reset);
  const resetMs = reset === null ? null : (waitMs(reset, nowMs) ?? null);
  return limit === null && remaining === null ? null : { limitPerMinute: limit, remaining, resetMs };
}

function numberIn(text: string | null): number | null {
  const value = text?.trim() ?? '';
  return /^-?\d{1,15}(?:\.\d+)?$/.test(value) ? Math.trunc(Number(value)) : null;
}

/** OpenRouter counts anew at a time that it names, of a minute or of a day. */
function fixedWindow(window: RateWindow | null): RateWindow | null {
  if (window === null) return null;
  const isMinute = window.resetMs !== null && window.resetMs <= LONGEST_MINUTE_MS;
  return isMinute ? window : { ...window, limitPerMinute: null };
}

/** The lower limit of two that both hold, and what remains of the one that is nearer to its end. */
function tighter(one: RateWindow | null, other: RateWindow | null): RateWindow | null {
  if (one === null || other === null) return one ?? other;
  const nearer = (other.remaining ?? Number.POSITIVE_INFINITY) < (one.remaining ?? Number.POSITIVE_INFINITY) ? other : one;
  return { ...nearer, limitPerMinute: lower(one.limitPerMinute, other.limitPerMinute) };
}

function lower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/**
 * Anthropic's limit on output is far below the one on input. To hold all tokens to it would stretch every document, so it only
 * counts where nothing else is told, or once nothing is left of it.
 */
function withOutput(window: RateWindow | null, output: RateWindow | null): RateWindow | null {
  if (window === null || output === null) return window ?? output;
  if (output.remaining !== 0) return window;
  return { ...window, remaining: 0, resetMs: Math.max(window.resetMs ?? 0, output.resetMs ?? 0) };
}
