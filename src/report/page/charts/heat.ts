import { grouped, passPercent } from '../../phrases.ts';
import type { MatrixRow } from '../../summary.ts';
import { button, el, visible } from '../dom.ts';
import { chart } from './bar.ts';

/** Of more, those with the worst rates are shown. */
const MOST_TASKS = 40;
const MOST_MODELS = 15;

/** Shades of the scale, from nothing passes to all passes. */
const SHADES = 5;

/** Pass rate of every task with every model, as a table whose cells are coloured. A click shows the jobs behind it. */
export function heatTable(matrix: readonly MatrixRow[], onClick: (filter: { task?: string; model?: string }) => void): HTMLElement {
  // The matrix comes worst first.
  const [allTasks, allModels] = [new Set(matrix.map(({ task }) => task)), new Set(matrix.map(({ model }) => model))];
  const [tasks, models] = [[...allTasks].slice(0, MOST_TASKS).sort(), [...allModels].slice(0, MOST_MODELS).sort()];
  const isCut = tasks.length < allTasks.size || models.length < allModels.size;
  const cells = new Map(matrix.map((row) => [JSON.stringify([row.task, row.model]), row]));
  const head = el(
    'tr',
    {},
    el('td'),
    ...models.map((model) => el('th', { attributes: { scope: 'col' } }, button({ onClick: () => onClick({ model }) }, visible(model)))),
  );
  const lines = tasks.map((task) =>
    el(
      'tr',
      {},
      el('th', { attributes: { scope: 'row' } }, button({ onClick: () => onClick({ task }) }, visible(task))),
      ...models.map((model) => cell(cells.get(JSON.stringify([task, model])), () => onClick({ task, model }))),
    ),
  );
  const table = el('table', { class: 'heat' }, el('thead', {}, head), el('tbody', {}, ...lines));
  return chart(
    'Pass rate',
    `of results, by task and model${isCut ? `; the worst of ${allTasks.size} tasks and ${allModels.size} models` : ''}`,
    el('div', { class: 'scroll' }, table),
  );
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
