import type { Json } from '../domain/canonical-json.ts';
import { isWithin, showBounds } from './bounds.ts';
import type { Check } from './check.ts';
import { failed, passed } from './judgement.ts';
import { endsInWildcard, hasWildcard, type Match, select } from './pointer.ts';
import { isArray, showPlace, showValue } from './show.ts';

/**
 * The number of items at `at` must lie within the bounds: of an array its items, of a pointer that ends in `*` its matches; with
 * `where`, only the items that fulfil that JSON Schema. Nothing there counts 0. `value`: the count.
 */
export const countCheck: Check<'count'> = (spec, { answer, validatorFor }) => {
  const matches = select(answer, spec.at);
  const alone = hasWildcard(spec.at) ? undefined : matches.find((match) => !isArray(match.value));
  if (alone !== undefined) return failed(null, `expected an array at ${showPlace(alone.pointer)}, got ${showValue(alone.value)}`);
  const items = itemsOf(matches, endsInWildcard(spec.at));
  const validate = spec.where === null ? null : validatorFor(spec.where);
  const count = validate === null ? items.length : items.filter((item) => validate(item).length === 0).length;
  if (isWithin(count, spec)) return passed(count);
  const noun = `${validate === null ? '' : 'matching '}${(spec.max ?? spec.min) === 1 ? 'item' : 'items'}`;
  return failed(count, `expected ${showBounds(spec)} ${noun} at ${showPlace(spec.at)}, got ${count}`);
};

function itemsOf(matches: readonly Match[], countsMatches: boolean): Json[] {
  return matches.flatMap(({ value }) => (isArray(value) && !countsMatches ? value : [value]));
}
