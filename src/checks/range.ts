import type { Json } from '../domain/canonical-json.ts';
import { isWithin, showBounds } from './bounds.ts';
import type { Check } from './check.ts';
import { failed, passed } from './judgement.ts';
import { keptValues, nothingThere, withTally } from './matches.ts';
import { select } from './pointer.ts';
import { showPlace, showValue } from './show.ts';

/** Every value at `at` must be a number within the bounds, both included. `value`: what was found. */
export const rangeCheck: Check<'range'> = (spec, { answer }) => {
  const matches = select(answer, spec.at);
  const wrong = matches.filter((match) => !isNumberWithin(match.value, spec));
  const [first] = wrong;
  if (matches.length === 0) return failed(null, `expected ${showBounds(spec)} ${nothingThere(spec.at)}`);
  if (first === undefined) return passed(keptValues(matches));
  const message = `expected ${showBounds(spec)} at ${showPlace(first.pointer)}, got ${showValue(first.value)}`;
  return failed(keptValues(matches), withTally(message, wrong, matches));
};

function isNumberWithin(value: Json, bounds: Parameters<typeof isWithin>[1]): boolean {
  return typeof value === 'number' && isWithin(value, bounds);
}
