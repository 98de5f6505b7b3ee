import { AnswerDraft } from './answer-draft.ts';
import type { CallTimers } from './timers.ts';

export type StreamEnd = {
  readonly draft: AnswerDraft;
  /** What broke the stream; `null` when it ended in peace, be it too early. */
  readonly error: unknown;
  /** When the first content came, on the given clock; `null` when none did. */
  readonly firstTokenAtMs: number | null;
};

type Listening = { readonly timers: CallTimers; readonly clock: () => number; readonly onFirstToken: () => void };

/**
 * Reads a stream to its end, feeding the timers with content events only. Never throws for what the stream does: the SDK ends its
 * loop in peace on a closed connection and on an abort, and throws on a reset, a malformed event and an error event.
 */
export async function readStream(events: AsyncIterable<unknown>, { timers, clock, onFirstToken }: Listening): Promise<StreamEnd> {
  const draft = new AnswerDraft();
  const iterator = events[Symbol.asyncIterator]();
  let firstTokenAtMs: number | null = null;
  let begun = false;
  for (;;) {
    const next = await nextEvent(iterator);
    if (next.kind !== 'event') return { draft, error: next.error, firstTokenAtMs };
    const progress = draft.add(next.event);
    if (progress !== 'none' && !begun) onFirstToken();
    begun ||= progress !== 'none';
    if (progress === 'content') timers.content();
    if (progress === 'finish') timers.finished();
    if (draft.content !== '') firstTokenAtMs ??= clock();
  }
}

type Next = { readonly kind: 'event'; readonly event: unknown } | { readonly kind: 'end'; readonly error: unknown };

async function nextEvent(iterator: AsyncIterator<unknown>): Promise<Next> {
  try {
    const { done, value } = await iterator.next();
    return done === true ? { kind: 'end', error: null } : { kind: 'event', event: value };
  } catch (error) {
    return { kind: 'end', error: error ?? new Error('the stream broke off') };
  }
}
