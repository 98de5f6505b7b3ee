import type { CanonicalText, Page } from '../domain/document.ts';
import { countHiddenCharacters, normaliseCharacters, trimTrailingBlanks } from './normalise.ts';

/** A line before normalisation. `number` is the one a person looks for, `page` the 0-based index of its page. */
export type DraftLine = { readonly text: string; readonly number: number; readonly page: number };

export type PageName = Pick<Page, 'number' | 'label'>;

export type Assembled = Pick<CanonicalText, 'text' | 'pages' | 'lines'> & {
  /** Canonical offset of every draft line; of what follows it when the line itself was dropped. */
  readonly offsets: readonly number[];
  /** Deleted characters that could have carried hidden text. */
  readonly hiddenCharacters: number;
};

/**
 * Canonical text of lines: characters normalised, no blanks at line ends, at most one blank line in a row, none at the start or
 * end, lines joined by one line feed. Pages tile the text; `pages` must name every page index that the lines use.
 */
export function assemble(drafts: readonly DraftLine[], pages: readonly PageName[] = []): Assembled {
  const kept: string[] = [];
  const start: number[] = [];
  const number: number[] = [];
  const offsets: number[] = [];
  let offset = 0;
  let hiddenCharacters = 0;
  for (const draft of drafts) {
    offsets.push(offset);
    const text = trimTrailingBlanks(normaliseCharacters(draft.text));
    hiddenCharacters += countHiddenCharacters(draft.text);
    if (text === '' && (kept.at(-1) ?? '') === '') continue;
    kept.push(text);
    start.push(offset);
    number.push(draft.number);
    offset += text.length + 1;
  }
  if (kept.at(-1) === '') {
    for (const list of [kept, start, number]) list.pop();
  }
  const text = kept.join('\n');
  const within = offsets.map((at) => Math.min(at, text.length));
  return {
    text,
    pages: pagesOf({ drafts, offsets: within, names: pages, length: text.length }),
    lines: { start, number },
    offsets: within,
    hiddenCharacters,
  };
}

function pagesOf(input: {
  drafts: readonly DraftLine[];
  offsets: readonly number[];
  names: readonly PageName[];
  length: number;
}): readonly Page[] {
  const starts: number[] = [];
  for (const [index, draft] of input.drafts.entries()) {
    while (starts.length <= draft.page) starts.push(input.offsets[index] ?? input.length);
  }
  return input.names.map((name, index) => ({
    ...name,
    start: index === 0 ? 0 : (starts[index] ?? input.length),
    end: starts[index + 1] ?? input.length,
  }));
}
