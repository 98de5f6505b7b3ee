import type { Unmatched } from '../../documents/files/unmatched-files.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { counted } from '../terminal/format.ts';

const MOST_FOLDERS = 5;
const MOST_NAMES = 5;

/** `2 files in specs/ match no entry of "documents": a.docx, b.txt`, for a few folders and of each a few names. */
export function unmatchedNotes(unmatched: readonly Unmatched[]): string[] {
  const notes = unmatched.slice(0, MOST_FOLDERS).map(noteOf);
  const left = unmatched.length - notes.length;
  return left > 0 ? [...notes, `${counted(left, 'more folder')} with files that match no entry of "documents"`] : notes;
}

function noteOf({ folder, names }: Unmatched): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => oneLine(name));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const where = folder === '.' ? "the manifest's folder" : `${oneLine(folder)}/`;
  return `${counted(names.length, 'file')} in ${where} ${names.length === 1 ? 'matches' : 'match'} no entry of "documents": ${shown.join(', ')}${more}`;
}
