import { evidenceSentence } from '../../evidence-phrases.ts';
import { counted, grouped, speedPhrase, usd } from '../../phrases.ts';
import { el } from '../dom.ts';
import type { Tone } from '../logic/quotes.ts';
import { afresh, type Facet, withFilter } from '../logic/view.ts';
import { visibleString } from '../logic/visible-text.ts';
import type { Report } from '../report.ts';
import { plainWord } from '../words.ts';
import { type Bar, barChart } from './bar.ts';
import { type ModelFigures, modelFigures, type Tally, tally } from './figures.ts';
import { heatTable } from './heat.ts';
import { latencyChart } from './latency.ts';

const BARS_SHOWN = 8;

/** What is shown while no job is open: pictures of the whole run. A click on any of them filters the table. */
export function overview(report: Report): HTMLElement {
  const { summary } = report.data.index;
  const models = modelFigures(report.rows);
  const only = (filters: { readonly [F in Facet]?: readonly string[] }): void => {
    report.store.change(withFilter(afresh(report.store.view()), filters));
  };
  const charts = [
    summary.matrix.length === 0
      ? null
      : heatTable(summary.matrix, ({ task, model }) =>
          only({ ...(task === undefined ? {} : { task: [task] }), ...(model === undefined ? {} : { model: [model] }) }),
        ),
    quotesChart(report, only),
    tallyChart(
      'Checks that did not pass',
      'jobs',
      tally(report.rows, ({ row }) => row.checks),
      'fail',
      visibleString,
      (value) => only({ check: [value] }),
    ),
    tallyChart(
      'Not evaluated because',
      'jobs',
      tally(report.rows, ({ row }) => (row.reason === null ? [] : [row.reason])),
      'error',
      plainWord,
      (value) => only({ reason: [value] }),
    ),
    costChart(models, only),
    latencyChart(models, (model) => only({ model: [model] })),
    cacheChart(models, only),
    documentsChart(report, only),
  ];
  return el('section', { class: 'overview', attributes: { 'aria-label': 'Overview of the run' } }, ...charts, speeds(report));
}

type Only = (filters: { readonly [F in Facet]?: readonly string[] }) => void;

function tallyChart(
  title: string,
  note: string,
  tallies: readonly Tally[],
  tone: string,
  word: (value: string) => string,
  onClick: (value: string) => void,
) {
  if (tallies.length === 0) return null;
  const most = Math.max(1, ...tallies.map(({ jobs }) => jobs));
  const bars = tallies.slice(0, BARS_SHOWN).map(
    ({ value, jobs }): Bar => ({
      name: word(value),
      title: visibleString(value),
      parts: [{ share: jobs / most, tone }],
      text: grouped(jobs),
      onClick: () => onClick(value),
    }),
  );
  const more = tallies.length > bars.length ? `${note}; first ${bars.length} of ${grouped(tallies.length)}` : note;
  return barChart(title, more, bars);
}

/** What the quotes are worth, by task. */
function quotesChart({ data, rows }: Report, only: Only): HTMLElement | null {
  const sentence = evidenceSentence(data.index.summary);
  const tasks = new Map<string, [number, number, number]>();
  for (const { row } of rows) {
    const sums = tasks.get(row.task) ?? [0, 0, 0];
    tasks.set(row.task, [sums[0] + row.quotes[0], sums[1] + row.quotes[1], sums[2] + row.quotes[2]]);
  }
  const asked = [...tasks].filter(([, [verified, near, rejected]]) => verified + near + rejected > 0);
  if (sentence === null || asked.length === 0) return null;
  const bars = asked.map(([task, sums]): Bar => {
    const [verified, near, rejected] = sums;
    const total = verified + near + rejected;
    const part = (count: number, tone: Tone) => ({ share: count / total, tone });
    return {
      name: task,
      parts: [part(verified, 'verified'), part(near, 'near'), part(rejected, 'rejected')],
      text: `${grouped(verified)} ✓  ${grouped(near)} ≈  ${grouped(rejected)} ✗`,
      onClick: () => only({ task: [task] }),
    };
  });
  return barChart('Quotes looked up', sentence, bars);
}

function costChart(models: readonly ModelFigures[], only: Only): HTMLElement | null {
  if (models.length === 0) return null;
  const most = Math.max(...models.map(({ costUsd }) => costUsd), Number.MIN_VALUE);
  const bars = models.map(
    ({ model, costUsd, unpriced }): Bar => ({
      name: model,
      parts: [{ share: costUsd / most, tone: 'cost' }],
      text: costText(costUsd, unpriced),
      onClick: () => only({ model: [model] }),
    }),
  );
  return barChart('Cost', 'by model', bars);
}

/** What is not known is no zero. */
function costText(costUsd: number, unpriced: number): string {
  if (unpriced === 0) return usd(costUsd);
  return costUsd === 0 ? 'price unknown' : `${usd(costUsd)} + ${counted(unpriced, 'job')} unknown`;
}

function cacheChart(models: readonly ModelFigures[], only: Only): HTMLElement | null {
  if (models.length === 0) return null;
  const bars = models.map(
    ({ model, cached, jobs }): Bar => ({
      name: model,
      parts: [
        { share: cached / jobs, tone: 'cached' },
        { share: (jobs - cached) / jobs, tone: 'asked' },
      ],
      text: `${grouped(cached)} of ${counted(jobs, 'job')}`,
      onClick: () => only({ model: [model], cached: ['yes'] }),
    }),
  );
  return barChart('From cache', 'answered without a call of this run', bars);
}

function documentsChart({ rows }: Report, only: Only): HTMLElement | null {
  const names = new Map(rows.map(({ document, name }) => [document, name]));
  const worst = tally(rows, ({ verdict, document }) => (verdict === 'fail' || verdict === 'error' ? [document] : []));
  return tallyChart(
    'Documents with most failures',
    'jobs failed or not evaluated',
    worst,
    'fail',
    (value) => visibleString(names.get(value) ?? value),
    (value) => only({ document: [value] }),
  );
}

function speeds({ data }: Report): HTMLElement | null {
  const lines = data.index.summary.models.flatMap((model) => {
    const phrase = speedPhrase(model);
    return phrase === '' ? [] : [el('li', {}, el('b', {}, visibleString(model.id)), ` (${visibleString(model.model)}): ${phrase}`)];
  });
  return lines.length === 0 ? null : el('ul', { class: 'speeds' }, ...lines);
}
