import { counted, grouped } from './phrases.ts';
import type { Summary } from './summary.ts';

/** How much of a summary is written: at most so many items of each kind. */
export type Limits = {
  readonly rows: number;
  /** Failures in plain sight, and then folded ones. */
  readonly failures: number;
  readonly otherFailures: number;
  readonly errors: number;
  readonly reviews: number;
  /** Documents that were not evaluated in full. */
  readonly partial: number;
  /** Configuration, slowest calls, document warnings, artifact index. */
  readonly details: boolean;
};

const FULL: Limits = { rows: 20, failures: 5, otherFailures: 20, errors: 10, reviews: 20, partial: 10, details: true };

/** The fixed order in which a summary that is too long gives way; the last one is the verdict and the totals. */
export const SHRINK_ORDER: readonly Limits[] = [
  FULL,
  { ...FULL, details: false },
  { ...FULL, details: false, otherFailures: 0, reviews: 0 },
  { rows: 20, failures: 3, otherFailures: 0, errors: 3, reviews: 0, partial: 3, details: false },
  { rows: 5, failures: 3, otherFailures: 0, errors: 3, reviews: 0, partial: 3, details: false },
  { rows: 0, failures: 0, otherFailures: 0, errors: 0, reviews: 0, partial: 0, details: false },
];

/** Says what was left out to fit; `null` at full length. */
export function shorteningNote(summary: Summary, limits: Limits, maxLength: number): string | null {
  if (limits === FULL) return null;
  const left = [
    leftOut('failure', summary.failures.total, limits.failures + limits.otherFailures),
    leftOut('evaluation error', summary.notEvaluated.entries.total, limits.errors),
    leftOut('doubtful result', summary.reviews.total, limits.reviews),
    leftOut('document that was evaluated in part', summary.coverage.partial.total, limits.partial),
    leftOut('table row', summary.matrix.length, limits.rows),
    limits.details ? '' : 'the configuration, the slowest calls and the artifact index',
  ];
  return `Shortened to stay below ${grouped(maxLength)} characters, without ${left.filter((part) => part !== '').join(', ')}. All results are in results.jsonl.`;
}

function leftOut(noun: string, total: number, shown: number): string {
  return total <= shown ? '' : `${grouped(total - shown)} of ${counted(total, noun)}`;
}
