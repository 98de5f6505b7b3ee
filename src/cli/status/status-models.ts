import type { ModelTotals } from '../../store/rows.ts';
import { inManifestOrder } from '../jobs/model-order.ts';
import { amount, duration, money, percent } from '../terminal/format.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import type { Snapshot } from './snapshot.ts';

const MODEL_HEAD: readonly Column[] = [
  { title: 'MODEL' },
  ...['DONE', 'PASS', 'FAIL', 'REVIEW', 'DLQ', 'RUN', 'QUEUE', 'CACHED', 'IN', 'OUT', 'COST'].map((title) => ({
    title,
    align: 'right' as const,
  })),
];

const SPEED_HEAD: readonly Column[] = [
  { title: 'MODEL' },
  ...['429', 'P50', 'P95', 'FIRST TOKEN', 'TOKENS/S', 'PROVIDER CACHE'].map((title) => ({ title, align: 'right' as const })),
];

/** Where the jobs of each model stand, and what they took. */
export function modelLines({ run, totals }: Snapshot, columns: number): string[] {
  return tableLines(MODEL_HEAD, inManifestOrder(totals.byModel, run).map(modelCells), columns);
}

/** How fast each model answers, and what its provider's cache served. A table of its own: beside the counts it would not fit. */
export function speedLines({ run, totals }: Snapshot, columns: number): string[] {
  const known = inManifestOrder(totals.byModel, run).filter(
    ({ firstTokenMs, tokensPerSecond, cachedInputTokens, rateLimited, p95Ms }) =>
      firstTokenMs !== null || tokensPerSecond !== null || cachedInputTokens > 0 || rateLimited > 0 || p95Ms !== null,
  );
  return known.length === 0 ? [] : ['', ...tableLines(SPEED_HEAD, known.map(speedCells), columns)];
}

function speedCells(totals: ModelTotals): string[] {
  const { model, inputTokens, cachedInputTokens, firstTokenMs, tokensPerSecond, rateLimited, p50Ms, p95Ms } = totals;
  return [
    model,
    String(rateLimited),
    p50Ms === null ? '–' : duration(p50Ms),
    p95Ms === null ? '–' : duration(p95Ms),
    firstTokenMs === null ? '–' : duration(firstTokenMs),
    tokensPerSecond === null ? '–' : tokensPerSecond < 10 ? tokensPerSecond.toFixed(1) : amount(Math.round(tokensPerSecond)),
    percent(cachedInputTokens, inputTokens),
  ];
}

function modelCells(model: ModelTotals): string[] {
  const done = model.total - model.queued - model.running;
  const numbers = [model.pass, model.fail, model.review, model.error, model.running, model.queued, model.cached];
  const tokens = [amount(model.inputTokens), amount(model.outputTokens)];
  return [model.model, `${done}/${model.total}`, ...numbers.map(String), ...tokens, money(model.spentNanoUsd)];
}
