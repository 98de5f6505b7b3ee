import type { IndexedRow } from './rows.ts';
import type { Column, Sorting } from './view.ts';

/** A new array; rows that compare equal keep their order, and what is unknown stands last either way. */
export function sortRows(rows: readonly IndexedRow[], { column, descending }: Sorting): IndexedRow[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row, column) }));
  const { compare } = new Intl.Collator('en', { numeric: true });
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    if (typeof a.key === 'number' && typeof b.key === 'number') return sign * (a.key - b.key);
    return sign * compare(String(a.key), String(b.key));
  });
  return keyed.map(({ row }) => row);
}

/** Numbers run from what deserves a look: the dearest, the slowest, the most rejected quotes come first. */
function keyOf({ row, rank, document }: IndexedRow, column: Column): number | string | null {
  switch (column) {
    case 'verdict':
      return rank;
    case 'document':
      return document;
    case 'task':
      return row.task;
    case 'model':
      return row.model;
    case 'note':
      return row.note === '' ? null : row.note;
    case 'quotes':
      return -(row.quotes[2] * 1e6 + row.quotes[1] * 1e3) - row.quotes[0] / 1e3;
    case 'cost':
      return row.costUsd === null ? null : -row.costUsd;
    case 'time':
      return row.latencyMs === null ? null : -row.latencyMs;
    case 'tries':
      return -row.attempts;
    case 'cached':
      return row.cached ? 0 : 1;
  }
}
