import type { LanePause } from './lane.ts';

const PAUSE_MS = 10 * 60_000;

/** A lane without an answer for longer than anyone waits is left alone for a while. */
export function troublePause(
  failure: { readonly reason: LanePause['reason']; readonly message: string },
  by: { readonly nowMs: number; readonly sinceMs: number; readonly maxWaitMs: number },
): LanePause | null {
  if (by.nowMs - by.sinceMs <= by.maxWaitMs) return null;
  const seconds = Math.round((by.nowMs - by.sinceMs) / 1000);
  return { reason: failure.reason, message: `no answer for ${seconds} s: ${failure.message}`, untilMs: by.nowMs + PAUSE_MS };
}

/** The server, or its headers, name a time beyond what anyone waits for. */
export function namedPause(untilMs: number, message: string, by: { readonly nowMs: number; readonly maxWaitMs: number }): LanePause | null {
  return untilMs - by.nowMs > by.maxWaitMs ? { reason: 'rate_limited', message, untilMs: Math.ceil(untilMs) } : null;
}
