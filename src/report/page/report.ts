import type { ReportData } from './data.ts';
import type { IndexedRow } from './logic/rows.ts';
import type { ViewStore } from './store.ts';

/** What every part of the page works with. */
export type Report = {
  readonly data: ReportData;
  /** All jobs, in plan order. */
  readonly rows: readonly IndexedRow[];
  readonly store: ViewStore;
};
