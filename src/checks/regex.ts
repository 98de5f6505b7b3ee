import type { Check } from './check.ts';
import { failed, passed } from './judgement.ts';
import { nothingThere, withTally } from './matches.ts';
import { unicodePattern } from './pattern.ts';
import { select } from './pointer.ts';
import { oneLine, showPlace, showValue } from './show.ts';

const LONGEST_PATTERN = 60;

/** Every value at `at` must be a string that the pattern matches. Throws a `SyntaxError` for a wrong pattern. `value`: whether all do. */
export const regexCheck: Check<'regex'> = (spec, { answer }) => {
  const pattern = unicodePattern(spec.pattern, spec.flags);
  const shown = `a string that matches /${oneLine(spec.pattern, LONGEST_PATTERN)}/${spec.flags}`;
  const matches = select(answer, spec.at);
  const wrong = matches.filter(({ value }) => typeof value !== 'string' || !isMatch(pattern, value));
  const [first] = wrong;
  if (matches.length === 0) return failed(false, `expected ${shown} ${nothingThere(spec.at)}`);
  if (first === undefined) return passed(true);
  return failed(false, withTally(`expected ${shown} at ${showPlace(first.pointer)}, got ${showValue(first.value)}`, wrong, matches));
};

/** With the flags `g` and `y` a pattern remembers where it stopped. */
function isMatch(pattern: RegExp, value: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(value);
}
