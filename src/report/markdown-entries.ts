import type { Absence, Finding } from '../domain/score.ts';
import { codeSpan } from './code-span.ts';
import { notEvaluatedPhrase } from './coverage-phrases.ts';
import { place, quoteNotes, searchedPhrase, verdictOnQuote } from './evidence-phrases.ts';
import type { Links } from './links.ts';
import { counted, duration } from './phrases.ts';
import type { CheckEntry, ErrorEntry, IndexEntry, JobRef, PartialDocument, ResultEntry, SlowJob } from './summary.ts';

const CHECKS_SHOWN = 3;
const FINDINGS_SHOWN = 2;
const ABSENCES_SHOWN = 2;
const QUOTE_GRAPHEMES = 200;
const SIGNS = { pass: '✅', fail: '❌', review: '🔍', error: '⚠️' };

/** A numbered list item: the result, then each check that did not pass, then the quotes that did not stand. */
export function resultItem(number: number, entry: ResultEntry, links: Links): string {
  const head = `${number}. ${jobName(entry)}${repeatsPhrase(entry)} · ${links.job(entry)}`;
  const shown = entry.checks.slice(0, CHECKS_SHOWN).flatMap(checkLines);
  const more = entry.checks.length - CHECKS_SHOWN;
  return [head, ...shown, ...(more > 0 ? [`    - ${counted(more, 'more check')} did not pass`] : [])].join('\n');
}

function jobName({ document, task, model }: JobRef): string {
  return `${codeSpan(document)} · ${codeSpan(task)} / ${codeSpan(model)}`;
}

function repeatsPhrase({ repeats }: ResultEntry): string {
  const total = repeats.pass + repeats.fail + repeats.review + repeats.error;
  if (total < 2) return '';
  const parts = (['pass', 'fail', 'review', 'error'] as const).filter((verdict) => repeats[verdict] > 0);
  return ` · ${total} repeats: ${parts.map((verdict) => `${repeats[verdict]} ${verdict}`).join(', ')}`;
}

function checkLines({ check, explanation, findings, absences }: CheckEntry): readonly string[] {
  const shown = findings.kept.slice(0, FINDINGS_SHOWN);
  const more = findings.total - shown.length;
  const absent = absences.kept.slice(0, ABSENCES_SHOWN);
  const moreAbsent = absences.total - absent.length;
  return [
    `    - ${codeSpan(check)}${explanation === '' ? '' : ` — ${codeSpan(explanation)}`}`,
    ...shown.flatMap(findingLines),
    ...(more > 0 ? [`      - ${counted(more, 'more quote')}`] : []),
    ...absent.map(absenceLine),
    ...(moreAbsent > 0 ? [`      - ${counted(moreAbsent, 'more claim')} that the document does not say something`] : []),
  ];
}

function findingLines(finding: Finding): readonly string[] {
  const { diff, text } = finding.evidence;
  const where = place(finding);
  const notes = quoteNotes(finding, codeSpan);
  const noted = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  const what = `${where === '' ? '' : `${where}: `}${verdictOnQuote(finding)}${diff === null ? '' : ` ${codeSpan(diff)}`}${noted}`;
  return [
    `      - ${what}`,
    `        - quoted: ${codeSpan(finding.quote, QUOTE_GRAPHEMES)}`,
    ...(text === null ? [] : [`        - document: ${codeSpan(text, QUOTE_GRAPHEMES)}`]),
  ];
}

function absenceLine(absence: Absence): string {
  return `      - ${codeSpan(absence.at)}: the answer says that the document does not say it; searched: ${searchedPhrase(absence, codeSpan)}`;
}

export function partialItem({ document, jobs, coverage }: PartialDocument): string {
  return `- ${codeSpan(document)} — ${notEvaluatedPhrase(coverage, codeSpan)}${jobs > 1 ? ` (${counted(jobs, 'job')})` : ''}`;
}

export function errorItem(entry: ErrorEntry, links: Links): string {
  const where = entry.reason.startsWith('document_') ? codeSpan(entry.document) : jobName(entry);
  const count = entry.results > 1 ? ` (${counted(entry.results, 'result')} of this document)` : '';
  return `- ${codeSpan(entry.reason)} — ${where}${count} — ${codeSpan(entry.message)} · ${links.job(entry)}`;
}

export function slowItem(entry: SlowJob, links: Links): string {
  return `- ${duration(entry.latencyMs)} — ${jobName(entry)} · ${links.job(entry)}`;
}

export function indexItem(entry: IndexEntry, links: Links): string {
  const sign = entry.verdict === null ? entry.state : `${SIGNS[entry.verdict]} ${entry.verdict}`;
  const repeat = entry.repeat > 0 ? ` #${entry.repeat + 1}` : '';
  return `- ${sign} — ${jobName(entry)}${repeat} · ${links.job(entry)}`;
}
