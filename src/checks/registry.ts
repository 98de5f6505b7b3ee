import type { CheckSpec } from '../domain/manifest/resolved.ts';
import type { Check, CheckInput, Judgement, SpecOf } from './check.ts';
import { containsCheck } from './contains.ts';
import { countCheck } from './count.ts';
import { equalsCheck } from './equals.ts';
import { evidenceCheck } from './evidence.ts';
import { notContainsCheck } from './not-contains.ts';
import { rangeCheck } from './range.ts';
import { regexCheck } from './regex.ts';
import { schemaCheck } from './schema.ts';

type CheckType = CheckSpec['type'];

/** Every type of check that a manifest can name. A type without an entry does not compile. */
const CHECKS: { readonly [Type in CheckType]: Check<Type> } = {
  schema: schemaCheck,
  evidence: evidenceCheck,
  equals: equalsCheck,
  contains: containsCheck,
  'not-contains': notContainsCheck,
  regex: regexCheck,
  range: rangeCheck,
  count: countCheck,
};

/** Applies one check. */
export function runCheck(spec: CheckSpec, input: CheckInput): Judgement {
  return runTyped(spec.type, spec, input);
}

function runTyped<Type extends CheckType>(type: Type, spec: SpecOf<Type>, input: CheckInput): Judgement {
  return CHECKS[type](spec, input);
}
