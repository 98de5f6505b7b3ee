import type { CacheMode } from '../domain/manifest/resolved.ts';
import type { Reason } from '../domain/reason.ts';
import type { StepKind } from '../domain/step.ts';
import { fliesAlone } from './run-facts.ts';

/** Why a question is not asked again. */
export type KnownBad = { readonly reason: Reason; readonly message: string };

/** What is known of a question before it is asked. */
export type Known = {
  /** The key has failed for good in this run. */
  readonly failedHere: KnownBad | null;
  /** Somebody asked before, and the answer was of no use. */
  readonly knownBad: KnownBad | null;
  /** A good answer is there. */
  readonly hasHit: boolean;
};

/**
 * What another run has learnt of the key since its step was planned; `null` when it may be asked. A re-ask mends an answer that its run
 * has already, and who wants one that is newer than another has asked for it.
 */
export function badMeanwhile(
  cacheMode: CacheMode,
  { kind, freshAfterMs }: { readonly kind: StepKind; readonly freshAfterMs: number | null },
  knownBad: KnownBad | null,
): KnownBad | null {
  if (kind === 'reask' || freshAfterMs !== null) return null;
  return badAnswer(cacheMode, { failedHere: null, knownBad, hasHit: false });
}

/** What a run has learnt of the key, or an earlier run of its answer; `null` when it may be asked. */
export function badAnswer(cacheMode: CacheMode, { failedHere, knownBad, hasHit }: Known): KnownBad | null {
  if (failedHere !== null) return failedHere;
  if (fliesAlone(cacheMode) || hasHit || knownBad === null) return null;
  const message = `${knownBad.message} (known from an earlier run, not asked again; "aieval retry" asks again)`;
  return { reason: knownBad.reason, message };
}
