import type { Score } from './score.ts';

export type JobVerdict = 'pass' | 'fail' | 'review' | 'error';
export type Aggregate = 'majority' | 'all' | 'any';

const RANK: Record<JobVerdict, number> = { pass: 0, review: 1, fail: 2, error: 3 };

/** A job's verdict is the worst of its checks; a failed check of severity `warn` does not count. */
export function jobVerdict(scores: readonly Score[]): Exclude<JobVerdict, 'error'> {
  let worst: Exclude<JobVerdict, 'error'> = 'pass';
  for (const score of scores) {
    const verdict = score.verdict === 'fail' && score.severity === 'warn' ? 'pass' : score.verdict;
    if (RANK[verdict] > RANK[worst]) worst = verdict;
  }
  return worst;
}

/**
 * Verdict of a result over its repeats. Errors in half or more of them make it an `error`. Of the others: `majority` takes the
 * most frequent verdict and a tie is `review`; `all` takes the worst; `any` takes the best.
 */
export function resultVerdict(verdicts: readonly JobVerdict[], aggregate: Aggregate): JobVerdict {
  const judged = verdicts.filter((verdict) => verdict !== 'error');
  if (judged.length === 0 || (verdicts.length - judged.length) * 2 >= verdicts.length) return 'error';
  const ranked = [...judged].sort((a, b) => RANK[a] - RANK[b]);
  if (aggregate === 'all') return ranked.at(-1) ?? 'error';
  if (aggregate === 'any') return ranked[0] ?? 'error';
  return majority(judged);
}

function majority(verdicts: readonly JobVerdict[]): JobVerdict {
  const counts = new Map<JobVerdict, number>();
  for (const verdict of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const [first, second] = [...counts].sort(([, a], [, b]) => b - a);
  if (first === undefined) return 'error';
  return second !== undefined && second[1] === first[1] ? 'review' : first[0];
}

export type ResultCounts = {
  readonly total: number;
  readonly open: number;
  readonly pass: number;
  readonly fail: number;
  readonly review: number;
  readonly error: number;
};

export type Gate = { readonly minPassRate: number; readonly maxErrorRate: number };

/** The pass rate in percent, rounded down to a decimal: a gate that was missed never looks met. `null` when nothing passed or failed. */
export function passPercentage({ pass, fail }: Pick<ResultCounts, 'pass' | 'fail'>): number | null {
  return pass + fail === 0 ? null : Math.floor((pass * 1000) / (pass + fail)) / 10;
}

/** pass / (pass + fail), 1 when there are none. */
export function passRate(counts: ResultCounts): number {
  const judged = counts.pass + counts.fail;
  return judged === 0 ? 1 : counts.pass / judged;
}

/** error / results, 0 when there are none. */
export function errorRate(counts: ResultCounts): number {
  return counts.total === 0 ? 0 : counts.error / counts.total;
}

export type RunVerdict = 'pass' | 'fail' | 'incomplete';

/** `incomplete` when work is open or too much could not be evaluated, else `fail` below the gate, else `pass`. */
export function gateVerdict(counts: ResultCounts, gate: Gate): RunVerdict {
  if (counts.open > 0 || errorRate(counts) > gate.maxErrorRate) return 'incomplete';
  return passRate(counts) < gate.minPassRate ? 'fail' : 'pass';
}
