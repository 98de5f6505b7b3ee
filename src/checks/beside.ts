import type { Json } from '../domain/canonical-json.ts';
import type { SpecOf } from './check.ts';
import { endsInWildcard, objectAbove } from './pointer.ts';

const MOST_FIELDS = 8;
const LONGEST_TEXT = 500;
const LONGEST_NAME = 100;

/** Fields of an answer's object that a person reads. */
export type Fields = { readonly [field: string]: string | number | boolean };

/**
 * What the answer says about a quote: texts, numbers and yes or no in the object that it stands in, of a quote in a list those of the
 * nearest object above. Without the quote and the place that is claimed for it; `undefined` when there are none.
 */
export function fieldsBeside(spec: Pick<SpecOf<'evidence'>, 'at' | 'page' | 'line'>, answer: Json, pointer: string): Fields | undefined {
  const inList = endsInWildcard(spec.at);
  const above = objectAbove(answer, pointer, inList ? 2 : 1);
  if (above === undefined) return undefined;
  const claimed = above.isParent ? [spec.page, spec.line].map((name) => name?.replace(/^\//, '')) : [];
  const fields = Object.entries(above.value).flatMap(([name, value]) => {
    const isOther = name === above.towards || claimed.includes(name) || name.length > LONGEST_NAME;
    return isOther ? [] : fieldOf(name, value);
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields.slice(0, MOST_FIELDS));
}

function fieldOf(name: string, value: Json): [string, string | number | boolean][] {
  if (typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
  return typeof value === 'string' && value.trim() !== '' ? [[name, shortened(value)]] : [];
}

/** At most 500 UTF-16 units, none of them half a character. */
function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
