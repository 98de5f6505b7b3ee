import type { Reason } from '../domain/reason.ts';
import type { ResultLine } from '../domain/result-line.ts';
import { byFrequency } from './frequency.ts';
import { jobRef } from './result-group.ts';
import type { ErrorEntry, NotEvaluated } from './summary.ts';

const ENTRIES_KEPT = 50;

/** Counts the results that could not be evaluated, by reason; one entry per reason and document, with the first message. */
export function errorTally(): { add(line: ResultLine): void; finish(): NotEvaluated } {
  const reasons = new Map<Reason, number>();
  const entries = new Map<string, ErrorEntry>();
  const unlisted = new Set<string>();
  let results = 0;
  return {
    add(line) {
      const { reason, message } = line.error ?? { reason: 'cancelled' as const, message: 'cancelled before it was evaluated' };
      results += 1;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      const key = JSON.stringify([reason, line.document]);
      const entry = entries.get(key);
      if (entry !== undefined) entries.set(key, { ...entry, results: entry.results + 1 });
      else if (entries.size < ENTRIES_KEPT) entries.set(key, { ...jobRef(line), reason, message, results: 1 });
      else unlisted.add(key);
    },
    finish: () => ({
      results,
      reasons: byFrequency(reasons).map(([reason, count]) => ({ reason, results: count })),
      entries: { total: entries.size + unlisted.size, kept: [...entries.values()] },
    }),
  };
}
