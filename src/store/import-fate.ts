import { canonicalJson, type Json } from '../domain/canonical-json.ts';
import type { Completion } from '../domain/completion.ts';
import type { CacheEntry, Imported } from './cache-store.ts';

/** The call of an imported entry, as it is known here. */
export type KnownCall = {
  readonly key: string;
  readonly stepKind: string;
  readonly completion: Completion;
  readonly judgement: 'none' | 'valid' | 'invalid';
  readonly answer: Json;
  readonly repaired: boolean;
};

/** The answer that is cached under a key. */
export type CachedCall = { readonly callToken: string; readonly storedAtMs: number };

/** What this store has of an imported entry. */
export type Here = {
  /** `inFlight`: its own answer may come at any moment, and must find its place free. */
  readonly call: KnownCall | 'inFlight' | null;
  readonly cached: CachedCall | null;
};

/** What becomes of an imported entry. `withAnswer`: it brings the answer, which is not here yet. */
export type Fate = { readonly as: keyof Imported; readonly withAnswer: boolean };

export function fateOf(entry: CacheEntry, { call, cached }: Here, nowMs: number): Fate {
  const known = knownAs(entry, call);
  if (known === 'other') return { as: 'conflicts', withAnswer: false };
  if (known === 'unjudged' || (cached !== null && !isLater(entry, cached, nowMs))) return { as: 'kept', withAnswer: false };
  return { as: cached === null ? 'added' : 'replaced', withAnswer: known === 'nothing' };
}

/**
 * A total order, so that two stores that import the same entries hold the same, in whatever order they came. What comes from the
 * future, by another machine's clock, counts as stored now; the same again is not stored later.
 */
function isLater({ callToken, storedAtMs }: CacheEntry, cached: CachedCall, nowMs: number): boolean {
  if (callToken === cached.callToken && storedAtMs > nowMs) return false;
  const atMs = Math.min(storedAtMs, nowMs);
  return atMs === cached.storedAtMs ? callToken > cached.callToken : atMs > cached.storedAtMs;
}

/** What this store knows of the entry's call: the same answer, that it still has to judge, or another one. */
function knownAs(entry: CacheEntry, call: Here['call']): 'nothing' | 'same' | 'unjudged' | 'other' {
  if (call === null) return 'nothing';
  if (call === 'inFlight') return 'other';
  const { key, stepKind, completion, answer, repaired } = entry;
  if (!isSame([call.key, call.stepKind, call.completion], [key, stepKind, completion])) return 'other';
  if (call.judgement === 'none') return 'unjudged';
  return call.judgement === 'valid' && isSame([call.answer, call.repaired], [answer, repaired]) ? 'same' : 'other';
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
