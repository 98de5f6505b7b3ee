import { isMixedCase, isProtected, NEGATING_PREFIXES } from '../words.ts';
import type { Edges } from './edges.ts';

/** Nobody's limit for a quote is shorter; a shorter one that stops inside a word was not cut by its length. */
const SHORTEST_LIMIT = 150;
const LAST_LETTERS = /(?<![\p{L}\p{M}\p{N}_'\u2019\-\u2010\u2011])(\p{L}{2,})$/u;
const REST_OF_WORD = /^(\p{Ll}{1,40})(?![\p{L}\p{M}\p{N}_'\u2019\-\u2010\u2011])/u;

/** Rests that turn a word, or make another number of it: "harm|less", "seven|ty", "fat|free". */
const TURNING_REST = /^(?:less|free|proof|fold|ty|teen)/u;
/** Beginnings that stand as words and are half of what they begin: "in|active", "kilo|volt". */
const BEGINNINGS = /^(?:non|counter|under|over|semi|quasi|pseudo|kilo|mega|giga|tera|milli|micro|nano|pico|centi|deci|fif|thir)$/iu;

/** Whether a span of this length was cut at its end by a limit, inside an ordinary word that claims nothing: "the offset of each regis|ter". */
export function isCutByLimit({ tail, after }: Edges, length: number): boolean {
  if (length < SHORTEST_LIMIT) return false;
  const fragment = LAST_LETTERS.exec(tail)?.[1];
  const rest = REST_OF_WORD.exec(after)?.[1];
  if (fragment === undefined || rest === undefined) return false;
  if (TURNING_REST.test(rest) || BEGINNINGS.test(fragment) || NEGATING_PREFIXES.has(fragment.toLowerCase())) return false;
  return ![fragment, fragment + rest].some((word) => isProtected(word) || isMixedCase(word));
}
