import { oneLine } from '../../domain/hostile-text.ts';
import type { ModelTotals, RunTotals, Waiting } from '../../store/rows.ts';
import { amount, clock, counted, duration, money, percent } from '../terminal/format.ts';
import type { Paint } from '../terminal/style.ts';
import { columnsOf, cut, pad } from '../terminal/width.ts';
import type { Progress } from './progress.ts';
import { allWaitingText } from './waiting-text.ts';

export type PanelLook = { readonly columns: number; readonly rows: number; readonly paint: Paint; readonly nowMs: number };

const MOST_LINES = 9;
/** Lines that are not about a model. */
const OTHER_LINES = 4;
const LONGEST_BAR = 24;
const WIDTH_WITHOUT_BAR = 52;
const LONGEST_NAME = 40;
const SHORTEST_NAME = 8;
/** Blanks between two columns; one less where the line would not fit. */
const GAPS = ['   ', '  '];

/** The live view of a run: at most nine lines, none wider than the terminal, the most important first. */
export function panelLines(progress: Progress, look: PanelLook): string[] {
  const { totals } = progress;
  const most = Math.max(1, Math.min(MOST_LINES, look.rows - 2));
  const lines = [
    barLine(progress, look),
    tallyLine(progress, look),
    ...(totals === null ? [] : modelLines(progress.models, Math.max(0, most - OTHER_LINES), look)),
    ...(totals === null ? [] : [costLine(totals, look)]),
    // Last: it comes and goes, and the others stay where they are.
    ...(totals === null ? [] : waitingLine(totals.waiting, look)),
  ];
  return lines.slice(0, most);
}

/** Reading documents, before there are jobs to count. */
export function documentsLine(done: number, total: number, documentId: string, columns: number): string {
  return cut(`reading documents ${done}/${total}  ${oneLine(documentId)}`, columns);
}

function barLine(progress: Progress, { columns, paint, nowMs }: PanelLook): string {
  const { done, total } = progress.counts;
  const { jobsPerMinute, etaSeconds } = progress.pace;
  const eta = etaSeconds === null ? 'ETA ?' : `ETA ${duration(etaSeconds * 1000)} (${clock(nowMs + etaSeconds * 1000)})`;
  const bar = barText(total === 0 ? 0 : done / total, Math.min(LONGEST_BAR, columns - WIDTH_WITHOUT_BAR));
  const pace = [jobsPerMinute === null ? '' : `${jobsPerMinute.toFixed(1)}/min`, done < total ? eta : ''].filter((part) => part !== '');
  const text = [`${done}/${total}`, percent(done, total).padStart(4), bar, ...pace].filter((part) => part !== '').join('  ');
  const shown = cut(text, columns);
  return bar !== '' && shown.includes(bar) ? shown.replace(bar, paint('cyan', bar)) : shown;
}

function barText(share: number, columns: number): string {
  if (columns < 5) return '';
  const full = Math.floor(share * columns);
  return '█'.repeat(full) + '·'.repeat(columns - full);
}

function tallyLine(progress: Progress, { columns, paint }: PanelLook): string {
  const { pass, fail, review, dlq, running, total, done } = progress.counts;
  const parts: readonly (readonly [name: string, count: number, colour: 'green' | 'red' | 'yellow' | null])[] = [
    ['pass', pass, 'green'],
    ['fail', fail, 'red'],
    ['review', review, 'yellow'],
    ['dlq', dlq, 'red'],
    ['running', running, null],
    ['queued', Math.max(0, total - done - running), null],
  ];
  const texts = parts.map(([name, count]) => `${name} ${count}`);
  const gap = GAPS.find((each) => texts.join(each).length <= columns) ?? '  ';
  const fits = parts.filter((_, index) => texts.slice(0, index + 1).join(gap).length <= columns);
  return fits.map(([name, count, colour]) => paintedTally(`${name} ${count}`, count > 0 ? colour : null, paint)).join(gap);
}

function paintedTally(text: string, colour: 'green' | 'red' | 'yellow' | null, paint: Paint): string {
  return colour === null ? text : paint(colour, text);
}

function modelLines(models: readonly ModelTotals[], most: number, { columns }: PanelLook): string[] {
  const shown = models.length <= most ? models : models.slice(0, Math.max(0, most - 1));
  const facts = aligned(shown.map(modelFacts));
  const room = columns - Math.max(0, ...facts.map((line) => line.length)) - 2;
  const names = shown.map((model) => cut(oneLine(model.model), Math.max(SHORTEST_NAME, Math.min(LONGEST_NAME, room))));
  const width = Math.max(0, ...names.map(columnsOf));
  const lines = names.map((name, index) => cut(`${pad(name, width)}  ${facts[index] ?? ''}`, columns));
  return shown.length === models.length ? lines : [...lines, cut(`and ${counted(models.length - shown.length, 'more model')}`, columns)];
}

function modelFacts(model: ModelTotals): string[] {
  const done = model.total - model.queued - model.running;
  return [
    `${done}/${model.total}`,
    model.running > 0 ? `${model.running} running` : '',
    model.cached > 0 ? `${model.cached} cached` : '',
    model.error > 0 ? `${model.error} dlq` : '',
    model.spentNanoUsd === null ? 'price unknown' : money(model.spentNanoUsd),
  ];
}

/** Rows as lines with their columns to the right; a column without any text is left out. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padStart(widths[column] ?? 0))
      .filter((cell) => cell !== '')
      .join('  '),
  );
}

function waitingLine(waiting: readonly Waiting[], { columns, paint, nowMs }: PanelLook): string[] {
  return waiting.length === 0 ? [] : [paint('yellow', cut(allWaitingText(waiting, nowMs), columns))];
}

function costLine({ cost, tokens, budget }: RunTotals, { columns }: PanelLook): string {
  const reserved = cost.reservedNanoUsd > 0 ? ` + ${money(cost.reservedNanoUsd)} reserved` : '';
  const unpriced = cost.unpricedCalls > 0 && cost.spentNanoUsd !== null ? ` + ${counted(cost.unpricedCalls, 'unpriced call')}` : '';
  const limit = budget === null || budget.budget.nanoUsd === null ? '' : ` of ${money(budget.budget.nanoUsd)}`;
  const input = amount(tokens.input);
  return cut(`cost ${money(cost.spentNanoUsd)}${unpriced}${reserved}${limit}   tokens ${input} in, ${amount(tokens.output)} out`, columns);
}
