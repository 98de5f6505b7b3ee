import type { Check } from './check.ts';
import { failed, passed } from './judgement.ts';
import { withTally } from './matches.ts';
import { select } from './pointer.ts';
import { showPlace, showValue } from './show.ts';
import { holdsText } from './text-in.ts';

/** No value at `at` may contain the text, in itself or in any of its strings. `value`: whether none does. */
export const notContainsCheck: Check<'not-contains'> = (spec, { answer }) => {
  const matches = select(answer, spec.at);
  const wrong = matches.filter((match) => holdsText(match.value, spec.text, spec.ignoreCase));
  const [first] = wrong;
  if (first === undefined) return passed(true);
  const message = `expected no ${showValue(spec.text)} in ${showPlace(first.pointer)}, got ${showValue(first.value)}`;
  return failed(false, withTally(message, wrong, matches));
};
