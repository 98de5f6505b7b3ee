import { judge } from '../../src/checks/judge.ts';
import type { JudgeInput } from '../../src/checks/judge-input.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { CheckSpec } from '../../src/domain/manifest/resolved.ts';
import type { Score } from '../../src/domain/score.ts';
import { canonicalText } from '../evidence/canonical.ts';

const DOCUMENT = canonicalText('An empty page.');

/** What is judged when the whole document was asked in one call. */
export function wholeOf(document: CanonicalText): Omit<JudgeInput, 'answer' | 'checks'> {
  return { document, seen: [{ start: 0, end: document.text.length }], origins: [], promptText: '', elsewhere: {} };
}

/** The score that one check gives; `more` is what is different from a document that was asked whole. */
export function scoreOf(check: CheckSpec, answer: Json, document: CanonicalText = DOCUMENT, more: Partial<JudgeInput> = {}): Score {
  const [score] = judge({ ...wholeOf(document), answer, checks: [check], ...more });
  if (score === undefined) throw new Error('a check gave no score');
  return score;
}

/** What a check decided, without findings. */
export function outcomeOf(check: CheckSpec, answer: Json): { verdict: string; value: Json; explanation: string } {
  const { verdict, value, explanation } = scoreOf(check, answer);
  return { verdict, value, explanation };
}
