/** What is wrong with an entry of `documents`. */
export type FileProblem = {
  /** Of the entry in the list that was given. */
  readonly index: number;
  /** The end of a sentence that begins with the entry's name, one line: `"specs/*.md" matches no file (…)`. */
  readonly what: string;
  /** What to do. */
  readonly hint: string;
};
