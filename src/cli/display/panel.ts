import { oneLine } from '../../domain/hostile-text.ts';
import type { RunTotals, Waiting } from '../../store/rows.ts';
import { projectedCost } from '../status/projected-cost.ts';
import { amount, clock, duration, money, percent } from '../terminal/format.ts';
import type { Paint } from '../terminal/style.ts';
import { columnsOf, cut } from '../terminal/width.ts';
import { unpricedText } from './budget-text.ts';
import { modelLines } from './model-lines.ts';
import type { Standing } from './progress.ts';
import type { Pace } from './rate.ts';
import { allWaitingText } from './waiting-text.ts';

export type PanelLook = { readonly columns: number; readonly rows: number; readonly paint: Paint; readonly nowMs: number };

const MOST_LINES = 9;
/** Lines that are not about a model. */
const OTHER_LINES = 4;
const LONGEST_BAR = 24;
const WIDTH_WITHOUT_BAR = 52;
/** Blanks between two columns; one less where the line would not fit. */
const GAPS = ['   ', '  '];

/** The live view of a run: at most nine lines, none wider than the terminal, the most important first. */
export function panelLines(progress: Standing, look: PanelLook): string[] {
  const { totals } = progress;
  const most = Math.max(1, Math.min(MOST_LINES, look.rows - 2));
  const lines = [
    barLine(progress, look),
    tallyLine(progress, look),
    ...(totals === null ? [] : modelLines(progress.models, Math.max(0, most - OTHER_LINES), { ...look, waiting: totals.waiting })),
    ...(totals === null ? [] : [costLine(progress, totals, look)]),
    // Last: it comes and goes, and the others stay where they are.
    ...(totals === null ? [] : waitingLine(totals.waiting, look)),
  ];
  return lines.slice(0, most);
}

/** Reading documents, before there are jobs to count. */
export function documentsLine(done: number, total: number, documentId: string, columns: number): string {
  return cut(`reading documents ${done}/${total}  ${oneLine(documentId)}`, columns);
}

function barLine(progress: Standing, { columns, paint, nowMs }: PanelLook): string {
  const { done, total } = progress.counts;
  const { jobsPerMinute } = progress.pace;
  const bar = barText(total === 0 ? 0 : done / total, Math.min(LONGEST_BAR, columns - WIDTH_WITHOUT_BAR));
  const pace = [jobsPerMinute === null ? '' : `${jobsPerMinute.toFixed(1)}/min`, done < total ? etaText(progress.pace, nowMs) : ''].filter(
    (part) => part !== '',
  );
  const text = [`${done}/${total}`, percent(done, total).padStart(4), bar, ...pace].filter((part) => part !== '').join('  ');
  const shown = cut(text, columns);
  return bar !== '' && shown.includes(bar) ? shown.replace(bar, paint('cyan', bar)) : shown;
}

/** While a model has not moved, it is that of the others, or later. */
function etaText({ etaSeconds, etaAtLeastSeconds }: Pace, nowMs: number): string {
  if (etaSeconds !== null) return `ETA ${duration(etaSeconds * 1000)} (${clock(nowMs + etaSeconds * 1000)})`;
  return etaAtLeastSeconds === null ? 'ETA ?' : `ETA ≥ ${duration(etaAtLeastSeconds * 1000)}`;
}

function barText(share: number, columns: number): string {
  if (columns < 5) return '';
  const full = Math.min(columns, Math.max(0, Math.floor(share * columns)));
  return '█'.repeat(full) + '·'.repeat(columns - full);
}

function tallyLine(progress: Standing, { columns, paint }: PanelLook): string {
  const { pass, fail, review, dlq, running, total, done } = progress.counts;
  const { parts, retrying } = progress;
  const tallies: readonly (readonly [name: string, count: number, colour: 'green' | 'red' | 'yellow' | null])[] = [
    ['pass', pass, 'green'],
    ['fail', fail, 'red'],
    ['review', review, 'yellow'],
    ['dlq', dlq, 'red'],
    ['running', running, null],
    ['queued', Math.max(0, total - done - running - retrying), null],
    ['retrying', retrying, null],
  ];
  const texts = tallies.map(([name, count]) => `${name} ${count}`);
  const gap = GAPS.find((each) => texts.join(each).length <= columns) ?? '  ';
  const fits = tallies.filter((_, index) => texts.slice(0, index + 1).join(gap).length <= columns);
  const shown = fits.map(([name, count, colour]) => paintedTally(`${name} ${count}`, count > 0 ? colour : null, paint));
  const ofParts = parts === null ? '' : `parts ${parts.done}/${parts.total}`;
  const room = columns - texts.join(gap).length - gap.length;
  return [...shown, ...(ofParts === '' || room < ofParts.length ? [] : [ofParts])].join(gap);
}

function paintedTally(text: string, colour: 'green' | 'red' | 'yellow' | null, paint: Paint): string {
  return colour === null ? text : paint(colour, text);
}

function waitingLine(waiting: readonly Waiting[], { columns, paint, nowMs }: PanelLook): string[] {
  return waiting.length === 0 ? [] : [paint('yellow', cut(allWaitingText(waiting, nowMs), columns))];
}

/** As much of it as fits: without the words that say less, then without the tokens. */
function costLine(progress: Standing, { cost, tokens, budget, byModel }: RunTotals, { columns }: PanelLook): string {
  const unpriced = unpricedText(cost);
  const reserved = cost.reservedNanoUsd > 0 ? ` + ${money(cost.reservedNanoUsd)} reserved` : '';
  const expected = projectedCost({ byModel, cost }) ?? progress.plannedNanoUsd;
  const isOpen = progress.counts.done < progress.counts.total;
  const projected = isOpen && expected !== null ? ` → ${money(Math.max(expected, cost.spentNanoUsd ?? 0))} projected` : '';
  const limit = budget === null || budget.budget.nanoUsd === null ? '' : ` / ${money(budget.budget.nanoUsd)}`;
  const told = `   tokens ${amount(tokens.input)} in, ${amount(tokens.output)} out`;
  const spent = `cost ${money(cost.spentNanoUsd)}`;
  const forms = [
    `${spent} spent${unpriced}${reserved}${projected}${limit}${told}`,
    `${spent}${unpriced}${reserved}${projected}${limit}${told}`,
    `${spent}${unpriced}${reserved}${projected}${limit}`,
    `${spent}${unpriced}${limit}`,
  ];
  return cut(forms.find((form) => columnsOf(form) <= columns) ?? spent, columns);
}
