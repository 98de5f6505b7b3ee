import type { JobVerdict } from '../domain/verdict.ts';
import type { MatrixRow } from './summary.ts';

type Counts = { task: string; model: string; total: number; open: number; pass: number; fail: number; review: number; error: number };

/** Counts results per task and model. Worst first: by the share that failed or could not be evaluated, then by name. */
export function matrixTally(): {
  add(result: { task: string; model: string }, verdict: JobVerdict | null): void;
  finish(): readonly MatrixRow[];
} {
  const rows = new Map<string, Counts>();
  return {
    add({ task, model }, verdict) {
      const key = JSON.stringify([task, model]);
      const row = rows.get(key) ?? { task, model, total: 0, open: 0, pass: 0, fail: 0, review: 0, error: 0 };
      row.total += 1;
      row[verdict ?? 'open'] += 1;
      rows.set(key, row);
    },
    finish: () =>
      [...rows].sort(([keyA, a], [keyB, b]) => badShare(b) - badShare(a) || (keyA < keyB ? -1 : 1)).map(([, row]) => ({ ...row })),
  };
}

function badShare(row: Counts): number {
  return (row.fail + row.error) / Math.max(1, row.total - row.open);
}
