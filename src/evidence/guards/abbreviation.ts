/** A letter that stands alone and its full stop, then another and its own; behind it no word is glued. */
const LETTER_BEFORE = /(?<![\p{L}\p{M}\p{N}_])\p{L}\.$/u;
const LETTER_AFTER = /^\p{L}\.(?![\p{L}\p{N}]{2})/u;
const BARE_LETTER_BEFORE = /(?<![\p{L}\p{M}\p{N}_])\p{L}$/u;
const STOP_AND_LETTER_AFTER = /^\.\p{L}\.(?![\p{L}\p{N}]{2})/u;

/** Whether a text goes from left to right inside an abbreviation: "e.|g.", "e|.g.", "U.S.|A."; not at the glue of "ends here.|Then". */
export function isInAbbreviation(left: string, right: string): boolean {
  return (LETTER_BEFORE.test(left) && LETTER_AFTER.test(right)) || (BARE_LETTER_BEFORE.test(left) && STOP_AND_LETTER_AFTER.test(right));
}
