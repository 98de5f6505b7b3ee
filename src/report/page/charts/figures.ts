import type { IndexedRow } from '../logic/rows.ts';

/** A name and how many jobs it has. */
export type Tally = { readonly value: string; readonly jobs: number };

/** Most frequent first. */
export function tally(rows: readonly IndexedRow[], valuesOf: (row: IndexedRow) => readonly string[]): Tally[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of valuesOf(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, jobs]) => ({ value, jobs })).sort((a, b) => b.jobs - a.jobs);
}

export type ModelFigures = {
  readonly model: string;
  readonly jobs: number;
  readonly cached: number;
  readonly costUsd: number;
  /** Jobs whose price is not known. */
  readonly unpriced: number;
  /** Of jobs that were asked in this run; `null` without one. */
  readonly latency: Quantiles | null;
};

export type Quantiles = {
  readonly p5: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
  readonly most: number;
};

/** Per model, in plan order. */
export function modelFigures(rows: readonly IndexedRow[]): ModelFigures[] {
  const groups = new Map<string, IndexedRow[]>();
  for (const row of rows) {
    const group = groups.get(row.row.model);
    if (group === undefined) groups.set(row.row.model, [row]);
    else group.push(row);
  }
  return [...groups].map(([model, group]) => ({
    model,
    jobs: group.length,
    cached: group.filter(({ row }) => row.cached).length,
    costUsd: group.reduce((sum, { row }) => sum + (row.costUsd ?? 0), 0),
    unpriced: group.filter(({ row, verdict }) => row.costUsd === null && verdict !== 'open').length,
    latency: quantiles(group.flatMap(({ row }) => (row.cached || row.latencyMs === null ? [] : [row.latencyMs]))),
  }));
}

/** Of the nearest rank; `null` of nothing. */
export function quantiles(values: readonly number[]): Quantiles | null {
  const sorted = [...values].sort((a, b) => a - b);
  const most = sorted.at(-1);
  if (most === undefined) return null;
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? most;
  return { p5: at(0.05), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95), most };
}
