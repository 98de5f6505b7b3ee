import { BROKEN_NOW } from './database.ts';
import type { Evidence } from './evidence.ts';
import { judgePayments } from './money.ts';
import { judgeResults } from './results.ts';

/** What is wrong at the end: `violations` is empty when nothing was lost, doubled or paid without need. */
export type Verdict = {
  readonly violations: readonly string[];
  readonly jobs: number;
  readonly runs: number;
  readonly repeats: number;
  readonly repeatsOfOthers: number;
};

export function judge(evidence: Evidence): Verdict {
  const now = evidence.rows.all<{ broken: string }>(BROKEN_NOW).map(({ broken }) => broken);
  const { violations: ofResults, ...counts } = judgeResults(evidence);
  const { violations: ofPayments, ...repeats } = judgePayments(evidence);
  return { violations: [...now, ...ofResults, ...ofPayments], ...counts, ...repeats };
}
