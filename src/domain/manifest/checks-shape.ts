import { type Is, isFlag, isJson, isNumber, isText, objectOf, oneOf, orNull } from '../shape.ts';
import type { CheckSpec } from './resolved.ts';

type Type = CheckSpec['type'];
type Own<T extends Type> = Omit<Extract<CheckSpec, { readonly type: T }>, 'id' | 'at' | 'severity' | 'type'>;

type Contained = Own<'contains' | 'not-contains'>;
const isContained: Is<Contained> = objectOf<Contained>({ text: isText, ignoreCase: isFlag });

/** What each type has of its own. */
const OWN: { readonly [T in Type]: Is<unknown> } = {
  schema: objectOf<Own<'schema'>>({ schema: isJson }),
  evidence: objectOf<Own<'evidence'>>({
    minChars: isNumber,
    minVerified: isNumber,
    page: orNull(isText),
    line: orNull(isText),
    elided: oneOf('accept', 'review'),
    absence: oneOf('review', 'accept', 'fail'),
  }),
  equals: objectOf<Own<'equals'>>({ value: isJson }),
  contains: isContained,
  'not-contains': isContained,
  regex: objectOf<Own<'regex'>>({ pattern: isText, flags: isText }),
  range: objectOf<Own<'range'>>({ min: orNull(isNumber), max: orNull(isNumber) }),
  count: objectOf<Own<'count'>>({ where: isJson, min: orNull(isNumber), max: orNull(isNumber) }),
};

const TYPES: readonly Type[] = ['schema', 'evidence', 'equals', 'contains', 'not-contains', 'regex', 'range', 'count'];

const isCommon = objectOf<Pick<CheckSpec, 'id' | 'at' | 'severity' | 'type'>>({
  id: isText,
  at: isText,
  severity: oneOf('must', 'warn'),
  type: oneOf(...TYPES),
});

/** A check as the manifest states it. */
export const isCheck: Is<CheckSpec> = (value, trail): value is CheckSpec => isCommon(value, trail) && OWN[value.type](value, trail);
