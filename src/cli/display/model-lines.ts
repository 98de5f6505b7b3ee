import { oneLine } from '../../domain/hostile-text.ts';
import type { ModelTotals, Waiting } from '../../store/rows.ts';
import { amount, counted, duration, money } from '../terminal/format.ts';
import { columnsOf, cut, pad } from '../terminal/width.ts';

/** A model's numbers, and where they are known the provider that it is asked of. */
export type ShownModel = ModelTotals & { readonly provider?: string };

export type ModelLook = { readonly columns: number; readonly nowMs: number; readonly waiting: readonly Waiting[] };

const LONGEST_NAME = 40;
const SHORTEST_NAME = 8;

/** A column of the list; of two that do not both fit the one of the lower rank goes. */
type Fact = { readonly rank: number; readonly text: (model: ShownModel, look: ModelLook) => string };

const FACTS: readonly Fact[] = [
  { rank: 9, text: (model) => `${model.total - model.queued - model.running}/${model.total}` },
  { rank: 5, text: ({ cached }) => (cached > 0 ? `${cached} cached` : '') },
  { rank: 6, text: ({ running }) => (running > 0 ? `${running} running` : '') },
  { rank: 4, text: ({ rateLimited }) => (rateLimited > 0 ? `429 ×${rateLimited}` : '') },
  { rank: 3, text: nextSlot },
  { rank: 1, text: ({ p50Ms }) => (p50Ms === null ? '' : `p50 ${duration(p50Ms)}`) },
  { rank: 2, text: ({ p95Ms }) => (p95Ms === null ? '' : `p95 ${duration(p95Ms)}`) },
  {
    rank: 0,
    text: ({ tokensPerSecond }) =>
      tokensPerSecond === null ? '' : `${tokensPerSecond < 10 ? tokensPerSecond.toFixed(1) : amount(Math.round(tokensPerSecond))} tok/s`,
  },
  { rank: 8, text: ({ error }) => (error > 0 ? `${error} dlq` : '') },
  { rank: 7, text: ({ spentNanoUsd }) => (spentNanoUsd === null ? 'price unknown' : money(spentNanoUsd)) },
];

const PACED: ReadonlySet<Waiting['why']> = new Set<Waiting['why']>(['lane_cooldown', 'lane_requests', 'lane_tokens', 'lane_breaker']);

/** When the model's provider takes the next call, where it keeps one waiting. */
function nextSlot({ provider }: ShownModel, { waiting, nowMs }: ModelLook): string {
  const times = waiting.flatMap(({ why, lane, untilMs }) => (PACED.has(why) && isOf(lane, provider) && untilMs !== null ? [untilMs] : []));
  const first = Math.min(...times);
  return times.length === 0 || first <= nowMs ? '' : `next slot in ${duration(first - nowMs)}`;
}

/** A lane is called by its provider, or by that and the group of its models. */
function isOf(lane: string | null | undefined, provider: string | undefined): boolean {
  return provider !== undefined && lane !== null && lane !== undefined && (lane === provider || lane.startsWith(`${provider}/`));
}

/**
 * One line for each model, in columns: the most important where not all fit, and a name is cut before a number. None where the only line
 * would count models.
 */
export function modelLines(models: readonly ShownModel[], most: number, look: ModelLook): string[] {
  if (most < Math.min(2, models.length)) return [];
  const shown = models.length <= most ? models : models.slice(0, most - 1);
  const names = shown.map(({ model }) => cut(oneLine(model), LONGEST_NAME));
  const nameColumns = Math.min(SHORTEST_NAME, Math.max(0, ...names.map(columnsOf)));
  const facts = fitting(shown, look, look.columns - nameColumns - 2);
  const room = Math.max(SHORTEST_NAME, look.columns - Math.max(0, ...facts.map(columnsOf)) - 2);
  const cutNames = names.map((name) => cut(name, room));
  const width = Math.max(0, ...cutNames.map(columnsOf));
  const lines = cutNames.map((name, index) => cut(`${pad(name, width)}  ${facts[index] ?? ''}`, look.columns));
  const left = models.length - shown.length;
  return left === 0 ? lines : [...lines, cut(`and ${counted(left, 'more model')}`, look.columns)];
}

function fitting(models: readonly ShownModel[], look: ModelLook, columns: number): string[] {
  for (let lowest = 0; ; lowest += 1) {
    const rows = models.map((model) => FACTS.map(({ rank, text }) => (rank < lowest ? '' : text(model, look))));
    const lines = aligned(rows);
    if (lowest >= FACTS.length - 1 || lines.every((line) => columnsOf(line) <= columns)) return lines;
  }
}

/** Rows as lines with their columns to the right; a column without any text is left out. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => columnsOf(row[column] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, column) => ' '.repeat((widths[column] ?? 0) - columnsOf(cell)) + cell)
      .filter((cell) => cell !== '')
      .join('  '),
  );
}
