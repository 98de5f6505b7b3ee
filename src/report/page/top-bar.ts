import { headlineOf } from '../headline.ts';
import {
  compact,
  counted,
  duration,
  grouped,
  passPercent,
  provenanceSentence,
  sharePercent,
  stopSentence,
  unprovenSentence,
  usd,
} from '../phrases.ts';
import type { Summary } from '../summary.ts';
import { button, type Child, el, visible } from './dom.ts';
import { type RowVerdict, verdictOrder } from './logic/rows.ts';
import { afresh, toggled } from './logic/view.ts';
import { visibleString } from './logic/visible-text.ts';
import type { Report } from './report.ts';
import { VERDICT_WORDS } from './words.ts';

const SIGNS = { pass: '✓', fail: '✗', incomplete: '!' };

/** Verdict first, then what it rests on, then what a reader must know before believing it. */
export function topBar(report: Report, actions: readonly Child[]): HTMLElement {
  const { index } = report.data;
  return el(
    'header',
    { class: 'top' },
    el(
      'div',
      { class: 'top-line' },
      verdict(index.summary),
      run(index.summary),
      facts(report),
      el('div', { class: 'actions' }, ...actions),
    ),
    ...banners(index.summary),
    notes(index.notes),
  );
}

function verdict(summary: Summary): HTMLElement {
  const { word, reason } = headlineOf(summary);
  const sign = summary.verdict === null ? '…' : SIGNS[summary.verdict];
  const doubt = doubtOf(summary);
  return el(
    'div',
    { class: `verdict is-${summary.verdict ?? 'open'}${doubt === null ? '' : ' has-doubt'}` },
    el('span', { class: 'sign', attributes: { 'aria-hidden': 'true' } }, sign),
    el('div', {}, el('h1', {}, word), doubt === null ? null : el('p', { class: 'doubt' }, doubt), el('p', {}, reason)),
  );
}

/** What a run passes in spite of, with the gate that lets it: a green sign above ten thousand failures is believed by nobody. */
function doubtOf({ verdict, results, gate }: Summary): string | null {
  const gone = [
    ...(results.fail > 0 ? [`${grouped(results.fail)} fail`] : []),
    ...(results.error + results.open > 0 ? [`${grouped(results.error + results.open)} not evaluated`] : []),
  ];
  return verdict !== 'pass' || gone.length === 0 ? null : `by its gate of ${sharePercent(gate.minPassRate)}, with ${gone.join(', ')}`;
}

function run({ run, version, documents, jobs }: Summary): HTMLElement {
  const started = `${run.startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  const took = run.finishedAt === null ? '' : ` · ${duration(Math.max(0, Date.parse(run.finishedAt) - Date.parse(run.startedAt)))}`;
  return el(
    'div',
    { class: 'run' },
    el('strong', {}, visible(run.name)),
    el('p', {}, 'run ', el('code', {}, visible(run.id)), ` · ${started}${took}`),
    el('p', {}, `${counted(documents.total, 'document')} · ${counted(jobs.total, 'job')} · aieval ${visibleString(version)}`),
  );
}

function facts(report: Report): HTMLElement {
  const { summary } = report.data.index;
  const { results, cost, budget, jobs } = summary;
  const counts = verdictOrder(summary.verdict).map((verdict) => count(report, verdict, results[verdict]));
  const percent = passPercent(results);
  return el(
    'dl',
    { class: 'facts' },
    el('div', { class: 'fact' }, el('dt', {}, 'Results'), el('dd', { class: 'counts' }, ...counts)),
    fact('Pass rate', percent ?? '–', `gate ${sharePercent(summary.gate.minPassRate)}`),
    fact('Cost', cost.spentUsd === null ? 'unknown' : usd(cost.spentUsd), costNote(cost.unpricedJobs, budget)),
    fact(
      'From cache',
      jobs.total === 0 ? '–' : `${Math.round((100 * jobs.cached) / jobs.total)} %`,
      `${grouped(jobs.cached)} of ${counted(jobs.total, 'job')}`,
    ),
    fact(
      'Tokens',
      compact(summary.tokens.input + summary.tokens.output),
      `${compact(summary.tokens.input)} in, ${compact(summary.tokens.output)} out`,
    ),
  );
}

/** Counts results; a click shows the jobs behind them. */
function count(report: Report, verdict: RowVerdict, results: number): Child {
  if (results === 0 && verdict !== 'pass' && verdict !== 'fail') return null;
  const { sign, word } = VERDICT_WORDS[verdict];
  return button(
    {
      class: `count is-${verdict}`,
      title: `${counted(results, 'result')}: show their jobs`,
      onClick: () => report.store.change(toggled(afresh(report.store.view()), 'verdict', verdict)),
    },
    el('span', { attributes: { 'aria-hidden': 'true' } }, sign),
    ` ${grouped(results)} ${word}`,
  );
}

function fact(name: string, value: string, note: string): HTMLElement {
  return el('div', { class: 'fact' }, el('dt', {}, name), el('dd', {}, el('b', {}, value), ' ', el('small', {}, note)));
}

function costNote(unpricedJobs: number, budget: Summary['budget']): string {
  const bounds = [
    ...(budget === null || budget.usd === null ? [] : [`budget ${usd(budget.usd.limit)}, ${usd(budget.usd.used)} used`]),
    ...(budget === null || budget.tokens === null ? [] : [`${compact(budget.tokens.used)} of ${compact(budget.tokens.limit)} tokens`]),
    ...(unpricedJobs === 0 ? [] : [`+ ${counted(unpricedJobs, 'job')} of unknown price`]),
  ];
  return bounds.length === 0 ? 'no budget' : bounds.join(', ');
}

function banners(summary: Summary): HTMLElement[] {
  const { jobs, privacy } = summary;
  const open =
    jobs.open === 0 ? null : `Unfinished: ${grouped(jobs.open)} of ${counted(jobs.total, 'job')} are open. The numbers can still change.`;
  const hidden = privacy === 'none' ? 'Words of documents and models are left out of this report (privacy.evidence is "none").' : null;
  const sentences = [open, stopSentence(summary, visibleString), provenanceSentence(summary), unprovenSentence(summary), hidden];
  return sentences.flatMap((sentence) =>
    sentence === null ? [] : [el('p', { class: 'banner' }, el('span', { attributes: { 'aria-hidden': 'true' } }, '⚠ '), sentence)],
  );
}

function notes(lines: readonly string[]): HTMLElement | null {
  if (lines.length === 0) return null;
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return el('p', { class: 'note' }, visible(only));
  return el(
    'details',
    { class: 'note' },
    el('summary', {}, `${lines.length} notes on what this file leaves out`),
    el('ul', {}, ...lines.map((line) => el('li', {}, visible(line)))),
  );
}
