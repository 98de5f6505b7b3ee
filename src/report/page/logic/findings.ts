import type { QuoteEntry } from './quotes.ts';
import type { IndexedRow } from './rows.ts';

/** A quote of any job, with what the model says of it. */
export type FindingRow = {
  readonly row: IndexedRow;
  readonly quote: QuoteEntry;
  /** In lower case: what the search looks at beside the job's own words. */
  readonly text: string;
};

export function findingRow(row: IndexedRow, quote: QuoteEntry): FindingRow {
  const { finding, check } = quote;
  const words = [finding.quote, check, finding.evidence.reason ?? '', ...Object.entries(finding.beside ?? {}).flat()];
  return { row, quote, text: words.join('\n').toLowerCase() };
}

/** The findings of these jobs, in their order, that have all the words in them or in their job. `byPlace`: by the job's place in plan order. */
export function selectFindings(
  rows: readonly IndexedRow[],
  byPlace: ReadonlyMap<number, readonly FindingRow[]>,
  words: readonly string[],
): FindingRow[] {
  return rows.flatMap((row) => {
    const findings = byPlace.get(row.place) ?? [];
    const missing = words.filter((word) => !row.text.includes(word));
    return missing.length === 0 ? findings : findings.filter(({ text }) => missing.every((word) => text.includes(word)));
  });
}
