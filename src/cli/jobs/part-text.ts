import { oneLine } from '../../domain/hostile-text.ts';
import { type SelectedSettings, type Selection, selectedPart, selectionWords } from '../../domain/selection.ts';
import { counted } from '../terminal/format.ts';
import { shellWord } from '../terminal/shell-word.ts';

const LONGEST_OPTIONS = 80;

/** What a run of a part is, as it is told wherever its numbers stand: `1 of 5 jobs (--first 1)`; `null` for a run of the whole manifest. */
export function partText(settings: SelectedSettings, jobs: number): string | null {
  const part = selectedPart(settings, jobs);
  if (part === null || settings.selection === undefined) return null;
  const share = part.of === null ? counted(jobs, 'selected job') : `${jobs} of ${counted(part.of, 'job')}`;
  return `${share} (${shortOptions(settings.selection)})`;
}

/** The options that select, as far as they are worth reading in a sentence. */
export function shortOptions(selection: Selection): string {
  const typed = selectedOptions({ selection });
  return typed.length > LONGEST_OPTIONS ? `${typed.slice(0, LONGEST_OPTIONS)}…` : typed;
}

/** The selection as it is typed. */
export function selectedOptions({ selection }: { readonly selection: Selection }): string {
  return selectionWords(selection)
    .map((word) => shellWord(oneLine(word)))
    .join(' ');
}
