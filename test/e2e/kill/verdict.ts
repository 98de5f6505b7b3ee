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

export async function judge(evidence: Evidence): Promise<Verdict> {
  const now = await evidence.rows.broken();
  const { violations: ofResults, ...counts } = await judgeResults(evidence);
  const { violations: ofPayments, ...repeats } = await judgePayments(evidence);
  return { violations: [...now, ...ofResults, ...ofPayments], ...counts, ...repeats };
}
