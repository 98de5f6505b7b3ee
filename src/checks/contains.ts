import type { Check } from './check.ts';
import { failed, passed } from './judgement.ts';
import { nothingThere, withTally } from './matches.ts';
import { select } from './pointer.ts';
import { showPlace, showValue } from './show.ts';
import { holdsText } from './text-in.ts';

/** Every value at `at` must contain the text: a string in itself, an array or object in any of its strings. `value`: whether all do. */
export const containsCheck: Check<'contains'> = (spec, { answer }) => {
  const matches = select(answer, spec.at);
  const wrong = matches.filter((match) => !holdsText(match.value, spec.text, spec.ignoreCase));
  const [first] = wrong;
  if (matches.length === 0) return failed(false, `expected ${showValue(spec.text)} ${nothingThere(spec.at)}`);
  if (first === undefined) return passed(true);
  const message = `expected ${showValue(spec.text)} in ${showPlace(first.pointer)}, got ${showValue(first.value)}`;
  return failed(false, withTally(message, wrong, matches));
};
