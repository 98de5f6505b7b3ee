import type { Check } from './check.ts';
import { failed, passed } from './judgement.ts';
import { select } from './pointer.ts';
import { breachBelow } from './schema-error.ts';
import { showPlace } from './show.ts';

/** Every value at `at` must fulfil the schema. `value`: whether all do. Without a match there is nothing to breach it. */
export const schemaCheck: Check<'schema'> = (spec, { answer, validatorFor }) => {
  const matches = select(answer, spec.at);
  if (matches.length === 0) return passed(true, `nothing at ${showPlace(spec.at)}`);
  const validate = validatorFor(spec.schema);
  const breaches = matches.flatMap(({ pointer, value }) => validate(value).map((line) => breachBelow(pointer, line)));
  const [first] = breaches;
  if (first === undefined) return passed(true);
  return failed(false, breaches.length === 1 ? first : `${first} (and ${breaches.length - 1} more)`);
};
