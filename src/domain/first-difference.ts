/** Where two texts part: the 1-based line, and that line in both; `null`: one has no such line. */
export type LineDifference = { readonly line: number; readonly mine: string | null; readonly theirs: string | null };

/** The first line that is not the same; `null` when the texts are. */
export function firstDifference(mine: string, theirs: string): LineDifference | null {
  if (mine === theirs) return null;
  const [ours, others] = [mine.split('\n'), theirs.split('\n')];
  let at = 0;
  while (at < ours.length && at < others.length && ours[at] === others[at]) at += 1;
  return { line: at + 1, mine: ours[at] ?? null, theirs: others[at] ?? null };
}
