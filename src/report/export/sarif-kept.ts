import type { Found, SarifResult } from './sarif-result.ts';

/** As many as GitHub keeps of one upload. */
export const RESULTS_KEPT = 5000;

export type KeptResults = { readonly results: readonly SarifResult[]; readonly left: number };

/** Keeps the worst results, the first ones of those that are as bad; what is found again is counted, not kept twice. */
export function keptResults(limit = RESULTS_KEPT) {
  const kept = { error: new Map<string, SarifResult>(), warning: new Map<string, SarifResult>() };
  let left = 0;
  return {
    add({ key, result }: Found): void {
      const level = kept[result.level];
      const before = level.get(key);
      if (before === undefined && level.size === limit) left += 1;
      else level.set(key, before === undefined ? result : { ...before, occurrenceCount: before.occurrenceCount + 1 });
    },
    finish(): KeptResults {
      const all = [...kept.error.values(), ...kept.warning.values()];
      return { results: all.slice(0, limit), left: left + Math.max(0, all.length - limit) };
    },
  };
}
