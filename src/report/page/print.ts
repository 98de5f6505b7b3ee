import type { Absence } from '../../domain/score.ts';
import { place, searchedPhrase, verdictOnQuote } from '../evidence-phrases.ts';
import { counted, grouped } from '../phrases.ts';
import type { CheckEntry, ErrorEntry, ResultEntry, Summary } from '../summary.ts';
import { cutText, el, visible } from './dom.ts';
import { visibleString } from './logic/visible-text.ts';
import type { Report } from './report.ts';
import { plainWord, VERDICT_WORDS } from './words.ts';

const QUOTE_LENGTH = 400;

/** What goes on paper below the verdict and the charts: the failures with their quotes. Made when somebody prints. */
export function printSection(report: Report): HTMLElement {
  const section = el('section', { class: 'printed' });
  let isFilled = false;
  const fill = (): void => {
    if (isFilled) return;
    isFilled = true;
    section.append(...printed(report.data.index.summary));
  };
  onPrint(fill);
  return section;
}

/** Before the page goes on paper. */
export function onPrint(prepare: () => void): void {
  addEventListener('beforeprint', prepare);
  matchMedia('print').addEventListener('change', ({ matches }) => (matches ? prepare() : undefined));
}

function printed({ failures, reviews, notEvaluated }: Summary): HTMLElement[] {
  const tables = [
    resultTable('Failures', failures),
    resultTable('To review', reviews),
    errorTable(notEvaluated.entries.kept, notEvaluated.results),
  ];
  return tables.filter((table) => table !== null);
}

function resultTable(title: string, { total, kept }: Summary['failures']): HTMLElement | null {
  if (total === 0) return null;
  const more = total > kept.length ? `, showing the first ${grouped(kept.length)}` : '';
  return table(`${title} (${grouped(total)}${more})`, kept.map(resultRow));
}

function resultRow(entry: ResultEntry): HTMLElement {
  return el(
    'tr',
    {},
    el('td', {}, VERDICT_WORDS[entry.verdict].word),
    el('td', {}, visible(entry.document), el('br'), visible(`${entry.task} · ${entry.model}`)),
    el('td', {}, ...entry.checks.map(checkBlock)),
  );
}

function checkBlock({ check, explanation, findings, absences }: CheckEntry): HTMLElement {
  const quotes = findings.kept.map((finding) => {
    const where = place(finding);
    return el(
      'li',
      {},
      `${where === '' ? '' : `${where}: `}${verdictOnQuote(finding)} — `,
      el('q', {}, cutText(finding.quote, QUOTE_LENGTH)),
    );
  });
  return el(
    'div',
    {},
    el('b', {}, visible(check)),
    explanation === '' ? null : visible(`: ${explanation}`),
    el('ul', {}, ...quotes, cutNote(findings, 'quotes'), ...absences.kept.map(absenceItem), cutNote(absences, 'absences')),
  );
}

function absenceItem(absence: Absence): HTMLElement {
  return el('li', {}, `said not to be in the document; searched: ${searchedPhrase(absence, visibleString)}`);
}

function cutNote({ total, kept }: { readonly total: number; readonly kept: readonly unknown[] }, what: string): HTMLElement | null {
  return total > kept.length ? el('li', {}, `the first ${grouped(kept.length)} of ${grouped(total)} ${what}`) : null;
}

function errorTable(entries: readonly ErrorEntry[], results: number): HTMLElement | null {
  if (results === 0) return null;
  const rows = entries.map(({ reason, document, task, model, message, results: times }) =>
    el(
      'tr',
      {},
      el('td', {}, `${plainWord(reason)}${times > 1 ? ` (${counted(times, 'result')})` : ''}`),
      el('td', {}, visible(document), el('br'), visible(`${task} · ${model}`)),
      el('td', {}, visibleString(message)),
    ),
  );
  const shown = entries.reduce((sum, { results: times }) => sum + times, 0);
  const more = shown < results ? `, showing the first ${grouped(shown)}` : '';
  return table(`Not evaluated (${grouped(results)}${more})`, rows);
}

function table(title: string, rows: readonly HTMLElement[]): HTMLElement {
  return el('table', {}, el('caption', {}, title), el('tbody', {}, ...rows));
}
