import type { ModelTotals } from '../store/rows.ts';
import { inManifestOrder } from './model-order.ts';
import type { Snapshot } from './snapshot.ts';
import { amount, duration, money, percent } from './terminal/format.ts';
import { type Column, tableLines } from './terminal/table.ts';

const MODEL_HEAD: readonly Column[] = [
  { title: 'MODEL' },
  ...['DONE', 'PASS', 'FAIL', 'REVIEW', 'DLQ', 'RUN', 'QUEUE', 'CACHED', 'IN', 'OUT', 'COST'].map((title) => ({
    title,
    align: 'right' as const,
  })),
];

const SPEED_HEAD: readonly Column[] = [
  { title: 'MODEL' },
  ...['PROVIDER CACHE', 'FIRST TOKEN', 'TOKENS/S'].map((title) => ({ title, align: 'right' as const })),
];

/** Where the jobs of each model stand, and what they took. */
export function modelLines({ run, totals }: Snapshot, columns: number): string[] {
  return tableLines(MODEL_HEAD, inManifestOrder(totals.byModel, run).map(modelCells), columns);
}

/** How fast each model answers, and what its provider's cache served. A table of its own: beside the counts it would not fit. */
export function speedLines({ run, totals }: Snapshot, columns: number): string[] {
  const known = inManifestOrder(totals.byModel, run).filter(
    ({ firstTokenMs, tokensPerSecond, cachedInputTokens }) => firstTokenMs !== null || tokensPerSecond !== null || cachedInputTokens > 0,
  );
  return known.length === 0 ? [] : ['', ...tableLines(SPEED_HEAD, known.map(speedCells), columns)];
}

function speedCells({ model, inputTokens, cachedInputTokens, firstTokenMs, tokensPerSecond }: ModelTotals): string[] {
  return [
    model,
    percent(cachedInputTokens, inputTokens),
    firstTokenMs === null ? '–' : duration(firstTokenMs),
    tokensPerSecond === null ? '–' : tokensPerSecond.toFixed(tokensPerSecond < 10 ? 1 : 0),
  ];
}

function modelCells(model: ModelTotals): string[] {
  const done = model.total - model.queued - model.running;
  const numbers = [model.pass, model.fail, model.review, model.error, model.running, model.queued, model.cached];
  const tokens = [amount(model.inputTokens), amount(model.outputTokens)];
  return [model.model, `${done}/${model.total}`, ...numbers.map(String), ...tokens, money(model.spentNanoUsd)];
}
