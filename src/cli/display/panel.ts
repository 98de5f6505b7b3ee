import { oneLine } from '../../domain/hostile-text.ts';
import type { ModelTotals, RunTotals, Waiting } from '../../store/rows.ts';
import { amount, clock, counted, duration, money, percent } from '../terminal/format.ts';
import type { Paint } from '../terminal/style.ts';
import { cut, pad } from '../terminal/width.ts';
import type { Progress } from './progress.ts';

export type PanelLook = { readonly columns: number; readonly rows: number; readonly paint: Paint; readonly nowMs: number };

const MOST_LINES = 9;
/** Lines that are not about a model. */
const OTHER_LINES = 4;
const LONGEST_BAR = 24;
const WIDTH_WITHOUT_BAR = 52;
const NAME_COLUMNS = 16;

/** The live view of a run: at most nine lines, none wider than the terminal, the most important first. */
export function panelLines(progress: Progress, look: PanelLook): string[] {
  const { totals } = progress;
  const most = Math.max(1, Math.min(MOST_LINES, look.rows - 2));
  const lines = [
    barLine(progress, look),
    tallyLine(progress, look),
    ...(totals === null ? [] : modelLines(totals.byModel, Math.max(0, most - OTHER_LINES), look)),
    ...(totals === null ? [] : waitingLine(totals.waiting, look)),
    ...(totals === null ? [] : [costLine(totals, look)]),
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
  let text = '';
  let room = columns;
  for (const [name, count, colour] of parts) {
    const part = `${name} ${count}   `;
    if (part.trimEnd().length > room) break;
    text += colour !== null && count > 0 ? paint(colour, part) : part;
    room -= part.length;
  }
  return text.trimEnd();
}

function modelLines(models: readonly ModelTotals[], most: number, { columns }: PanelLook): string[] {
  const shown = models.length <= most ? models : models.slice(0, Math.max(0, most - 1));
  const lines = shown.map((model) => cut(modelLine(model), columns));
  return shown.length === models.length ? lines : [...lines, cut(`and ${counted(models.length - shown.length, 'more model')}`, columns)];
}

function modelLine(model: ModelTotals): string {
  const done = model.total - model.queued - model.running;
  const parts = [
    pad(cut(oneLine(model.model), NAME_COLUMNS), NAME_COLUMNS),
    `${done}/${model.total}`.padStart(9),
    model.running > 0 ? `${model.running} running` : '',
    model.cached > 0 ? `${model.cached} cached` : '',
    model.error > 0 ? `${model.error} dlq` : '',
    money(model.spentNanoUsd),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function waitingLine(waiting: readonly Waiting[], { columns, paint, nowMs }: PanelLook): string[] {
  const [first] = waiting;
  if (first === undefined) return [];
  const until = first.untilMs === null || first.untilMs <= nowMs ? '' : ` for ${duration(first.untilMs - nowMs)}`;
  const because = first.message === null ? '' : `: ${oneLine(first.message)}`;
  return [paint('yellow', cut(`waiting ${first.count} × ${first.why}${until}${because}`, columns))];
}

function costLine({ cost, tokens }: RunTotals, { columns }: PanelLook): string {
  const reserved = cost.reservedNanoUsd > 0 ? ` + ${money(cost.reservedNanoUsd)} reserved` : '';
  const input = amount(tokens.input);
  return cut(`cost ${money(cost.spentNanoUsd)}${reserved}      tokens ${input} in, ${amount(tokens.output)} out`, columns);
}
