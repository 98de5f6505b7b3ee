/** `3 of 7 quotes rejected: /findings/0/quote "…" (not found)`, as an evidence check says it. */
const COUNTED_QUOTES = /^(\d+ of \d+) quotes? ([^:]{1,60}): (?:\/\S*|the answer) (?=\S)/;

/** The note as the table shows it: what tells one job from another comes first, the count last, and the pointer not at all. */
export function shortNote(note: string): string {
  const match = COUNTED_QUOTES.exec(note);
  if (match === null) return note;
  const [whole, count = '', what = ''] = match;
  const rest = note.slice(whole.length);
  return count.startsWith('1 of ') ? rest : `${rest} · ${count} ${what}`;
}
