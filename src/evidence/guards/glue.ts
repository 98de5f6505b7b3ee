import { SPACELESS_CLASS } from '../words.ts';
import type { Edges } from './edges.ts';

const SPACELESS = new RegExp(SPACELESS_CLASS, 'u');
const ENDS = /[\p{L}\p{N}.!?%)\]]["'\u2019\u201d]?$/u;
const BEGINS = /^["'\u2018\u201c([]?[\p{L}\p{N}]/u;

/** Whether a span ends, or begins, where its text goes on without a space: "(P < 0.01).|Table 2", "(6.1%)|a", "effect|12". */
export function isAtGlue({ before, head, tail, after }: Edges): boolean {
  return isGlued(before, head) || (/^[\p{L}\p{N}]/u.test(after) && isGlued(tail, after));
}

function isGlued(left: string, right: string): boolean {
  return ENDS.test(left) && BEGINS.test(right) && !SPACELESS.test(left.slice(-1)) && !SPACELESS.test(right.slice(0, 1));
}
