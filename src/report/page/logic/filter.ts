import { type IndexedRow, valuesOf } from './rows.ts';
import { FACETS, type Facet, type View, wordsOf } from './view.ts';

export type Selection = {
  /** In plan order. */
  readonly rows: readonly IndexedRow[];
  /** How many jobs a value would give beside what the other facets ask for. */
  readonly counts: { readonly [F in Facet]: ReadonlyMap<string, number> };
};

/** The jobs that fit, and the counts beside each filter. One pass over the rows. */
export function select(rows: readonly IndexedRow[], view: Pick<View, 'filters' | 'query'>): Selection {
  const words = wordsOf(view.query);
  const wanted = FACETS.map((facet) => ({ facet, values: new Set(view.filters[facet]) }));
  const counts = emptyCounts();
  const selected: IndexedRow[] = [];
  for (const row of rows) {
    if (!words.every((word) => row.text.includes(word))) continue;
    const missed = wanted.filter(({ facet, values }) => values.size > 0 && !valuesOf(row, facet).some((value) => values.has(value)));
    const [only] = missed;
    if (only === undefined) {
      selected.push(row);
      for (const facet of FACETS) count(counts[facet], row, facet);
    } else if (missed.length === 1) count(counts[only.facet], row, only.facet);
  }
  return { rows: selected, counts };
}

function emptyCounts(): { readonly [F in Facet]: Map<string, number> } {
  return {
    verdict: new Map(),
    task: new Map(),
    model: new Map(),
    check: new Map(),
    reason: new Map(),
    cached: new Map(),
    document: new Map(),
  };
}

function count(counts: Map<string, number>, row: IndexedRow, facet: Facet): void {
  for (const value of valuesOf(row, facet)) counts.set(value, (counts.get(value) ?? 0) + 1);
}
