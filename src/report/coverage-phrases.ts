import type { LostPage } from '../domain/document.ts';
import type { Quote } from './evidence-phrases.ts';
import { counted, grouped } from './phrases.ts';
import type { CoverageFacts, Summary } from './summary.ts';

const RANGES_SHOWN = 8;
const SECTIONS_NAMED = 3;
const REASONS_NAMED = 3;

/** `3–5, 7`; after eight runs an ellipsis. */
export function numberRanges(numbers: readonly number[]): string {
  const runs: { first: number; last: number }[] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && run.last === number - 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  const shown = runs.slice(0, RANGES_SHOWN).map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  return `${shown.join(', ')}${runs.length > RANGES_SHOWN ? ', …' : ''}`;
}

/** `page 7`, `pages 3–5, 7`. */
export function pagesPhrase(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? 'page' : 'pages'} ${numberRanges(numbers)}`;
}

/** Pages that a document lacks, and why: `page 7 (printed: v): cannot be read; pages 9–12: an image without text`. */
export function lostPagesPhrase(lostPages: readonly LostPage[], quote: Quote): string {
  const byReason = new Map<string, LostPage[]>();
  for (const page of lostPages) {
    const others = byReason.get(page.why);
    if (others === undefined) byReason.set(page.why, [page]);
    else others.push(page);
  }
  const reasons = [...byReason].slice(0, REASONS_NAMED).map(([why, pages]) => `${lostOf(pages, quote)}: ${quote(why)}`);
  return [...reasons, ...(byReason.size > REASONS_NAMED ? ['…'] : [])].join('; ');
}

function lostOf(pages: readonly LostPage[], quote: Quote): string {
  const [only] = pages;
  const label = pages.length === 1 && only !== undefined && only.label !== null && only.label !== String(only.number) ? only.label : null;
  return `${pagesPhrase(pages.map(({ number }) => number))}${label === null ? '' : ` (printed: ${quote(label)})`}`;
}

/** What of a document was in no prompt: `66 % of its text in a prompt; not pages 4–7; not section A`. `null` when nothing is missing. */
export function unseenPhrase({ characters, of, pages, sections }: CoverageFacts, quote: Quote): string | null {
  if (characters >= of) return null;
  const missedPages = pages === null || pages.missed.length === 0 ? [] : [`not ${pagesPhrase(pages.missed)}`];
  const named = sections.missed.slice(0, SECTIONS_NAMED).map((title) => quote(title));
  const others = sections.of - sections.seen - named.length;
  const more = others > 0 ? ` and ${grouped(others)} more` : '';
  const missedSections =
    named.length === 0 ? [] : [`not ${named.length + others === 1 ? 'section' : 'sections'} ${named.join(', ')}${more}`];
  return [`only ${Math.floor((100 * characters) / of)} % of its text in a prompt`, ...missedPages, ...missedSections].join('; ');
}

/** What was not evaluated of a document: `evaluated without page 7: cannot be read`. Empty when all of it was. */
export function notEvaluatedPhrase(coverage: CoverageFacts, quote: Quote): string {
  const unseen = unseenPhrase(coverage, quote);
  const lost = coverage.lostPages.length === 0 ? [] : [`evaluated without ${lostPagesPhrase(coverage.lostPages, quote)}`];
  return [...lost, ...(unseen === null ? [] : [unseen])].join('; ');
}

/** `2 jobs asked their document in 7 parts.`; `null` when none did. */
export function partsSentence({ coverage: { partJobs, parts } }: Pick<Summary, 'coverage'>): string | null {
  if (partJobs === 0) return null;
  return `${counted(partJobs, 'job')} asked ${partJobs === 1 ? 'its document' : 'their documents'} in ${counted(parts, 'part')}.`;
}
