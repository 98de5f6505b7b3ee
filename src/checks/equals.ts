import { canonicalJson } from '../domain/canonical-json.ts';
import type { Check } from './check.ts';
import { failed, passed } from './judgement.ts';
import { keptValues, nothingThere, withTally } from './matches.ts';
import { select } from './pointer.ts';
import { showPlace, showValue } from './show.ts';

/** Every value at `at` must equal `value`, deeply; the order of keys does not matter. `value`: what was found. */
export const equalsCheck: Check<'equals'> = (spec, { answer }) => {
  const matches = select(answer, spec.at);
  const expected = canonicalJson(spec.value);
  const wrong = matches.filter((match) => canonicalJson(match.value) !== expected);
  const [first] = wrong;
  if (matches.length === 0) return failed(null, `expected ${showValue(spec.value)} ${nothingThere(spec.at)}`);
  if (first === undefined) return passed(keptValues(matches));
  const message = `expected ${showValue(spec.value)} at ${showPlace(first.pointer)}, got ${showValue(first.value)}`;
  return failed(keptValues(matches), withTally(message, wrong, matches));
};
