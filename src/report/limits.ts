import { counted, grouped } from './phrases.ts';
import type { Summary } from './summary.ts';

/** How much of a summary is written: at most so many items of each kind. */
export type Limits = {
  readonly rows: number;
  /** Failures, and what waits for a person, each in plain sight and then folded. */
  readonly shown: number;
  readonly folded: number;
  readonly errors: number;
  /** Documents that were not evaluated in full. */
  readonly partial: number;
  /** What the answers say, with their quotes. */
  readonly findings: number;
  /** Document warnings, configuration, slowest calls, artifact index. */
  readonly details: boolean;
  /** What is said of the answers, the evidence and what is open. */
  readonly sentences: boolean;
  /** The totals; else the cost alone. */
  readonly totals: boolean;
};

const FULL: Limits = {
  rows: 20,
  shown: 5,
  folded: 20,
  errors: 10,
  partial: 10,
  findings: 50,
  details: true,
  sentences: true,
  totals: true,
};
const WITHOUT_FINDINGS: Limits = { ...FULL, findings: 0 };
const PLAIN: Limits = { ...WITHOUT_FINDINGS, details: false };
const TOP: Limits = { ...PLAIN, folded: 0 };
const FEW: Limits = { ...TOP, shown: 3, errors: 3, partial: 3 };
const FIVE_ROWS: Limits = { ...FEW, rows: 5 };
const NUMBERS: Limits = { ...FIVE_ROWS, rows: 0, shown: 0, errors: 0, partial: 0, sentences: false };
const VERDICT: Limits = { ...NUMBERS, totals: false };

/**
 * The fixed order in which a summary that is too long gives way: the findings; configuration and other details; the other failures; all failures but
 * three; all table rows but five; everything but the verdict and the totals; everything but the verdict and the cost.
 */
export const SHRINK_ORDER: readonly Limits[] = [FULL, WITHOUT_FINDINGS, PLAIN, TOP, FEW, FIVE_ROWS, NUMBERS, VERDICT];

const ALL_IS_IN = 'All results are in results.jsonl.';

/** Says what was left out to fit; `null` at full length. */
export function shorteningNote(summary: Summary, limits: Limits, maxLength: number): string | null {
  if (limits === FULL) return null;
  const bound = `${grouped(maxLength)}-character limit`;
  if (!limits.totals) return `Shortened to the verdict and the cost (${bound}). ${ALL_IS_IN}`;
  const left = [
    leftOut('failure', summary.failures.total, limits.shown + limits.folded),
    leftOut('evaluation error', summary.notEvaluated.entries.total, limits.errors),
    leftOut('doubtful result', summary.reviews.total, limits.shown + limits.folded),
    leftOut('partly evaluated document', summary.coverage.partial.total, limits.partial),
    leftOut('table row', summary.matrix.length, limits.rows),
    limits.sentences ? '' : 'what is said of the evidence',
    leftOut('finding', summary.findings.kept.length === 0 ? 0 : summary.findings.total, limits.findings),
    limits.details ? '' : 'document warnings, configuration, slowest calls and the artifact index',
  ];
  return `Shortened (${bound}), left out: ${left.filter((part) => part !== '').join('; ')}. ${ALL_IS_IN}`;
}

/** `24 of 37 failures`. */
function leftOut(noun: string, total: number, shown: number): string {
  return total <= shown ? '' : `${grouped(total - shown)} of ${counted(total, noun)}`;
}
