import { REJECTION_WORDS, STATUS_WORDS } from '../../../domain/quote-words.ts';

/** `3 of 7 quotes rejected: /findings/0/quote "…" (not in the document)`, as an evidence check says it. */
const COUNTED_QUOTES = /^(\d+ of \d+) quotes? ([^:]{1,60}): (?:\/\S*|the answer) (?=\S)/;
/** `"…" (not in the document)`: what is quoted, then what that is worth. */
const WORTH = new RegExp(`^(.*) \\(((?:${[...Object.values(REJECTION_WORDS), ...Object.values(STATUS_WORDS)].join('|')})\\b.*)\\)$`, 's');

/**
 * The note as the table shows it: why first, which a narrow column does not cut off, then the words, the count last, and the pointer not
 * at all.
 */
export function shortNote(note: string): string {
  const match = COUNTED_QUOTES.exec(note);
  if (match === null) return note;
  const [whole, count = '', what = ''] = match;
  const rest = reasonFirst(note.slice(whole.length));
  return count.startsWith('1 of ') ? rest : `${rest} · ${count} ${what}`;
}

function reasonFirst(text: string): string {
  const [, words, worth] = WORTH.exec(text) ?? [];
  return words === undefined ? text : `${worth}: ${plain(words)}`;
}

/** `"say \"no\""` → `“say "no"”`; a value that was shortened may end within an escape. */
function plain(words: string): string {
  if (!words.startsWith('"')) return words;
  const inside = words.slice(1).replace(/"$/, '');
  return `“${inside
    .replace(/\\(["\\/])/g, '$1')
    .replace(/\\[nrt]/g, ' ')
    .replace(/\\(?:u[0-9a-f]{0,3})?…$/, '…')}”`;
}
