import { oneLine } from '../../domain/hostile-text.ts';
import type { Finding } from '../../domain/score.ts';
import { evidenceSentence, place, quoteNotes, searchedPhrase, verdictOnQuote } from '../evidence-phrases.ts';
import { headlineOf } from '../headline.ts';
import { counted, grouped, provenanceSentence, resultCounts, shownOf, stopSentence, totals, unprovenSentence } from '../phrases.ts';
import type { CheckEntry, ErrorEntry, JobRef, ResultEntry, Summary } from '../summary.ts';
import type { ReportIndex } from './report-data.ts';

const LONGEST_TEXT = 400;
const SHORT_ID = 8;

/** The title of the report's window: verdict and run. */
export function titleText(summary: Summary): string {
  return escaped(`${headlineOf(summary).word} · ${summary.run.name} · ${summary.run.id} · aieval`);
}

/**
 * What the report says without its script: verdict, counts, cost, and a table of what did not pass, with its quotes. The texts of
 * documents and models are escaped and shortened, and hold nothing invisible.
 */
export function staticPart({ summary, notes, artifactsBase }: ReportIndex): string {
  const { icon, word, reason } = headlineOf(summary);
  const { run, documents } = summary;
  const sentences = [
    provenanceSentence(summary),
    stopSentence(summary, shown),
    evidenceSentence(summary),
    unprovenSentence(summary),
    ...notes,
  ].filter((sentence) => sentence !== null);
  return [
    '<main id="static">',
    `<h1>${icon} ${escaped(`${word} — ${reason}`)}</h1>`,
    `<p><strong>${escaped(run.name)}</strong> · ${counted(documents.total, 'document')}, ${resultCounts(summary.results)} · run <code>${escaped(run.id)}</code></p>`,
    ...banner(summary),
    `<p>${escapedHtml(totals(summary).join(' · '))}</p>`,
    ...sentences.map((sentence) => `<p>${escapedHtml(sentence)}</p>`),
    '<noscript><p>This is the table of what did not pass. With JavaScript the report shows every job and every document.</p></noscript>',
    ...resultTable('Failures', summary.failures, artifactsBase),
    ...resultTable('To review', summary.reviews, artifactsBase),
    ...errorTable(summary, artifactsBase),
    '</main>',
    '',
  ].join('\n');
}

function banner({ verdict, jobs, run }: Summary): string[] {
  if (verdict !== null && jobs.open === 0) return [];
  const open = `${grouped(jobs.open)} of ${counted(jobs.total, 'job')} ${jobs.open === 1 ? 'is' : 'are'} open`;
  const text = run.state === 'cancelled' ? `This run was cancelled: ${open}.` : `This run is not finished: ${open}. Numbers will change.`;
  return [`<p role="status"><strong>${text}</strong></p>`];
}

function resultTable(title: string, { total, kept }: Summary['failures'], base: string | null): string[] {
  const rows = kept.map((entry) => resultRow(entry, base));
  return table(title, { total, shown: kept.length }, rows, ['Job', 'Document', 'Task / model', 'What is wrong']);
}

function resultRow(entry: ResultEntry, base: string | null): readonly string[] {
  const checks = entry.checks.map(checkItem).join('');
  return [jobCell(entry, base), ...namesCells(entry), `<ul>${checks}</ul>`];
}

function checkItem({ check, verdict, explanation, findings, absences }: CheckEntry): string {
  const quotes = [
    ...findings.kept.map(findingItem),
    ...absences.kept.map(
      (absence) => `<li>${escaped(`said not to be in the document (${absence.at}); searched: ${searchedPhrase(absence, shown)}`)}</li>`,
    ),
  ].join('');
  const head = `${escaped(verdict)}: <strong>${escaped(check)}</strong>${explanation === '' ? '' : ` ${escaped(explanation)}`}`;
  return `<li>${head}${quotes === '' ? '' : `<ul>${quotes}</ul>`}</li>`;
}

function findingItem(finding: Finding): string {
  const { diff, text, status } = finding.evidence;
  const where = place(finding);
  const worth = `${verdictOnQuote(finding)}${diff === null ? '' : ` ${diff}`}`;
  return [
    `<li>${escaped(`${where === '' ? '' : `${where}: `}${worth}`)}`,
    finding.quote === '' ? '' : `<br>quoted: <q>${escaped(finding.quote)}</q>`,
    text === null || status === 'verified' ? '' : `<br>document: <q>${escaped(text)}</q>`,
    ...quoteNotes(finding, shown).map((note) => `<br>${escaped(note)}`),
    '</li>',
  ].join('');
}

function errorTable({ notEvaluated }: Summary, base: string | null): string[] {
  const rows = notEvaluated.entries.kept.map((entry) => errorRow(entry, base));
  const inSight = notEvaluated.entries.kept.reduce((sum, { results }) => sum + results, 0);
  return table('Not evaluated', { total: notEvaluated.results, shown: inSight }, rows, ['Job', 'Document', 'Task / model', 'Reason']);
}

function errorRow(entry: ErrorEntry, base: string | null): readonly string[] {
  const message = entry.message === '' ? '' : `: ${escaped(entry.message)}`;
  const times = entry.results > 1 ? ` (${counted(entry.results, 'result')})` : '';
  return [jobCell(entry, base), ...namesCells(entry), `<strong>${escaped(entry.reason)}</strong>${times}${message}`];
}

function namesCells({ document, task, model }: JobRef): readonly [string, string] {
  return [escaped(document), escaped(`${task} / ${model}`)];
}

function jobCell({ jobId, artifacts }: JobRef, base: string | null): string {
  const name = `<code>${escaped(jobId.slice(0, SHORT_ID))}</code>`;
  return base === null || artifacts === null ? name : `<a href="${escapedHtml(`${base}${artifacts}/`)}" rel="noreferrer">${name}</a>`;
}

type Counted = { readonly total: number; readonly shown: number };

/** Counts are results; a row may be several. */
function table(title: string, { total, shown: inSight }: Counted, rows: readonly (readonly string[])[], head: readonly string[]): string[] {
  if (total === 0) return [];
  const more = total > inSight ? [`<p>… ${grouped(total - inSight)} more, in results.jsonl.</p>`] : [];
  return [
    `<h2>${title} (${shownOf(total, inSight)})</h2>`,
    '<table>',
    `<thead><tr>${head.map((each) => `<th scope="col">${each}</th>`).join('')}</tr></thead>`,
    '<tbody>',
    ...rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`),
    '</tbody>',
    '</table>',
    ...more,
  ];
}

function shown(text: string): string {
  return oneLine(text, LONGEST_TEXT);
}

function escaped(text: string): string {
  return escapedHtml(shown(text));
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** What may not stand in an HTML file, however it is written. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '').replace(FORBIDDEN, '\ufffd');
}
