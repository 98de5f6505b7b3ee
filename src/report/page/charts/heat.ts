import { grouped, passPercent } from '../../phrases.ts';
import type { MatrixRow } from '../../summary.ts';
import { button, el, visible } from '../dom.ts';
import { chart } from './bar.ts';

/** Of more, those with the worst rates are shown. */
const MOST_TASKS = 40;
const MOST_MODELS = 15;

/** Shades of the scale, from nothing passes to all passes. */
const SHADES = 5;

type Filter = { readonly task?: string; readonly model?: string };

/** Pass rate of every task with every model, as a table whose cells are coloured. A click shows the jobs behind it. */
export function heatTable(matrix: readonly MatrixRow[], onClick: (filter: Filter) => void): HTMLElement {
  const { down, across, note } = sides(matrix);
  const rates = new Map(matrix.map((row) => [JSON.stringify([row.task, row.model]), row]));
  const heading = (scope: 'row' | 'col', filter: Filter): HTMLElement =>
    el('th', { attributes: { scope } }, button({ onClick: () => onClick(filter) }, visible(filter.task ?? filter.model ?? '')));
  const rate = (filter: Filter): HTMLElement => cell(rates.get(JSON.stringify([filter.task, filter.model])), () => onClick(filter));
  const head = el('tr', {}, el('td'), ...across.map((column) => heading('col', column)));
  const lines = down.map((row) => el('tr', {}, heading('row', row), ...across.map((column) => rate({ ...row, ...column }))));
  const table = el('table', { class: 'heat' }, el('thead', {}, head), el('tbody', {}, ...lines));
  return chart('Pass rate', `of results, by task and model${note}`, el('div', { class: 'scroll' }, table));
}

/** Tasks by models, or models by tasks: there is more room downwards than to the side. The matrix comes worst first. */
function sides(matrix: readonly MatrixRow[]) {
  const [allTasks, allModels] = [new Set(matrix.map(({ task }) => task)), new Set(matrix.map(({ model }) => model))];
  const tasks = [...allTasks].slice(0, MOST_TASKS).sort();
  const models = [...allModels].slice(0, MOST_MODELS).sort();
  const isCut = tasks.length < allTasks.size || models.length < allModels.size;
  const [byTask, byModel] = [tasks.map((task): Filter => ({ task })), models.map((model): Filter => ({ model }))];
  const [down, across] = models.length > tasks.length ? [byModel, byTask] : [byTask, byModel];
  return { down, across, note: isCut ? `; the worst of ${allTasks.size} tasks and ${allModels.size} models` : '' };
}

function cell(row: MatrixRow | undefined, onClick: () => void): HTMLElement {
  if (row === undefined) return el('td', { class: 'empty' }, '–');
  const percent = passPercent(row);
  const counts = `${grouped(row.pass)} ✓  ${grouped(row.fail)} ✗${row.review > 0 ? `  ${grouped(row.review)} ?` : ''}${row.error > 0 ? `  ${grouped(row.error)} !` : ''}`;
  const title = `${grouped(row.pass)} pass, ${grouped(row.fail)} fail, ${grouped(row.review)} to review, ${grouped(row.error)} not evaluated, ${grouped(row.open)} open`;
  const shown = button(
    { title, onClick },
    el('b', {}, percent ?? '–'),
    el('small', {}, counts),
    el('span', { class: 'spoken' }, ` ${title}`),
  );
  return el('td', { class: percent === null ? 'empty' : `heat-${shadeOf(row)}` }, shown);
}

/** 0 to `SHADES` - 1; only all is the best. */
function shadeOf({ pass, fail }: MatrixRow): number {
  return Math.min(SHADES - 1, Math.floor((pass / (pass + fail)) * (SHADES - 1)));
}
