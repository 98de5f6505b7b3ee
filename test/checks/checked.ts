import { judge } from '../../src/checks/judge.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { CheckSpec } from '../../src/domain/manifest/resolved.ts';
import type { Score } from '../../src/domain/score.ts';
import { canonicalText } from '../evidence/canonical.ts';

const DOCUMENT = canonicalText('An empty page.');

/** The score that one check gives. */
export function scoreOf(check: CheckSpec, answer: Json, document: CanonicalText = DOCUMENT): Score {
  const [score] = judge({ answer, document, checks: [check] });
  if (score === undefined) throw new Error('a check gave no score');
  return score;
}

/** What a check decided, without findings. */
export function outcomeOf(check: CheckSpec, answer: Json): { verdict: string; value: Json; explanation: string } {
  const { verdict, value, explanation } = scoreOf(check, answer);
  return { verdict, value, explanation };
}
