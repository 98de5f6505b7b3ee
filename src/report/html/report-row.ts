import type { ResultLine } from '../../domain/result-line.ts';
import type { Score } from '../../domain/score.ts';
import type { ReportRow } from './report-data.ts';

/** A job as one line of the table; `document`: its place among the report's documents. */
export function reportRow(line: ResultLine, document: number): ReportRow {
  const { jobId, task, model, repeat, state, verdict, error, costUsd, latencyMs, attempts, cached } = line;
  const failed = notPassed(line.scores);
  return {
    ...{ jobId, document, task, model, repeat, state, verdict },
    checks: failed.map(({ check }) => check),
    reason: error?.reason ?? null,
    note: error?.message ?? failed.find(({ explanation }) => explanation !== '')?.explanation ?? '',
    quotes: quoteCounts(line.scores),
    ...{ costUsd, latencyMs, attempts, cached },
  };
}

/** What decides the verdict first: failures, then doubts, then what is only a warning. */
function notPassed(scores: readonly Score[]): readonly Score[] {
  const rank = ({ severity, verdict }: Score): number => (verdict === 'review' ? 1 : severity === 'must' ? 0 : 2);
  return scores.filter(({ verdict }) => verdict !== 'pass').sort((a, b) => rank(a) - rank(b));
}

function quoteCounts(scores: readonly Score[]): ReportRow['quotes'] {
  const counts = { verified: 0, near: 0, rejected: 0 };
  for (const { findings } of scores) {
    for (const { evidence } of findings) counts[evidence.status === 'elided' ? 'verified' : evidence.status] += 1;
  }
  return [counts.verified, counts.near, counts.rejected];
}
