import type { Check } from './check.ts';
import { failed, passed } from './judgement.ts';
import { select } from './pointer.ts';
import { showPlace } from './show.ts';

/** Every value at `at` must fulfil the schema. `value`: whether all do. Without a match there is nothing to breach it. */
export const schemaCheck: Check<'schema'> = (spec, { answer, validatorFor }) => {
  const matches = select(answer, spec.at);
  if (matches.length === 0) return passed(true, `nothing at ${showPlace(spec.at)}`);
  const validate = validatorFor(spec.schema);
  const breaches = matches.flatMap(({ pointer, value }) => validate(value).map((line) => (pointer === '' ? line : below(pointer, line))));
  const [first] = breaches;
  if (first === undefined) return passed(true);
  return failed(false, breaches.length === 1 ? first : `${first} (and ${breaches.length - 1} more)`);
};

/** Validators speak of places below the value that they were given. */
function below(pointer: string, line: string): string {
  return line.startsWith('/') ? `${pointer}${line}` : line.replace(/^the answer:/, `${pointer}:`);
}
