import type { Score } from './score.ts';

/** What is told of a job that did not pass, in one line: its first check that failed, else the first that did not pass; `null` when all did. */
export function worstExplanation(scores: readonly Pick<Score, 'check' | 'severity' | 'verdict' | 'explanation'>[]): string | null {
  const worst =
    scores.find(({ verdict, severity }) => verdict === 'fail' && severity === 'must') ?? scores.find(({ verdict }) => verdict !== 'pass');
  if (worst === undefined) return null;
  return worst.explanation === '' ? worst.check : `${worst.check}: ${worst.explanation}`;
}
