import type { Absence, Finding } from '../domain/score.ts';
import { codeSpan } from './code-span.ts';
import { notEvaluatedPhrase } from './coverage-phrases.ts';
import { place, quoteNotes, searchedPhrase, verdictOnQuote } from './evidence-phrases.ts';
import type { FailureGroup, GroupedCheck } from './failure-groups.ts';
import type { Links } from './links.ts';
import { counted, duration, grouped, repeatsPhrase } from './phrases.ts';
import type { ErrorEntry, FindingEntry, IndexEntry, JobRef, PartialDocument, SlowJob } from './summary.ts';

const CHECKS_SHOWN = 3;
const FINDINGS_SHOWN = 2;
const ABSENCES_SHOWN = 2;
const MODELS_SHOWN = 8;
const EXPLANATIONS_SHOWN = 2;
const BRIEF_GRAPHEMES = 80;
const QUOTE_GRAPHEMES = 200;
const FIELDS_SHOWN = 8;
const SIGNS = { pass: '✅', fail: '❌', review: '🔍', error: '⚠️' };

/** A numbered list item: the result, then each check that did not pass, then the quotes that did not stand. */
export function resultItem(number: number, { entries, checks }: FailureGroup, links: Links): string {
  const shown = checks.slice(0, CHECKS_SHOWN).flatMap(checkLines);
  const more = checks.length - CHECKS_SHOWN;
  const head = `${number}. ${groupHead(entries, links)}`;
  return [head, ...shown, ...(more > 0 ? [`    - ${counted(more, 'more check')} did not pass`] : [])].join('\n');
}

/** `a.md` · `claims` / `fast` · `aieval show …`; of several models each with its own. */
function groupHead(entries: FailureGroup['entries'], links: Links): string {
  const [first] = entries;
  if (entries.length === 1) return `${jobName(first)}${repeatsPhrase(first)} · ${links.show(first)}`;
  const models = entries.slice(0, MODELS_SHOWN).map((entry) => `${codeSpan(entry.model)} (${links.job(entry)}${repeatsPhrase(entry)})`);
  const more = entries.length > MODELS_SHOWN ? `, ${grouped(entries.length - MODELS_SHOWN)} more` : '';
  return `${codeSpan(first.document)} · ${codeSpan(first.task)} · ${counted(entries.length, 'model')}: ${models.join(', ')}${more}`;
}

function jobName({ document, task, model }: JobRef): string {
  return `${codeSpan(document)} · ${codeSpan(task)} / ${codeSpan(model)}`;
}

function checkLines({ check, explanations, findings, absences }: GroupedCheck): readonly string[] {
  const shown = findings.kept.slice(0, FINDINGS_SHOWN);
  const more = findings.total - shown.length;
  const absent = absences.kept.slice(0, ABSENCES_SHOWN);
  const moreAbsent = absences.total - absent.length;
  return [
    `    - ${codeSpan(check)}${explanationPhrase(explanations, shown.length > 0)}`,
    ...shown.flatMap(findingLines),
    ...(more > 0 ? [`      - ${counted(more, 'more quote')}`] : []),
    ...absent.map(absenceLine),
    ...(moreAbsent > 0 ? [`      - ${counted(moreAbsent, 'more claim')} that the document does not say something`] : []),
  ];
}

/** Where quotes follow, they say it in full. */
function explanationPhrase(explanations: readonly string[], isBrief: boolean): string {
  const shown = explanations.slice(0, EXPLANATIONS_SHOWN).map((text) => codeSpan(text, isBrief ? BRIEF_GRAPHEMES : undefined));
  const more = explanations.length > shown.length ? ` and ${grouped(explanations.length - shown.length)} more` : '';
  return shown.length === 0 ? '' : ` — ${shown.join(', ')}${more}`;
}

function findingLines(finding: Finding): readonly string[] {
  const { diff, text } = finding.evidence;
  const where = place(finding);
  const notes = quoteNotes(finding, codeSpan);
  const noted = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  const what = `${where === '' ? '' : `${where}: `}${verdictOnQuote(finding)}${diff === null ? '' : ` ${codeSpan(diff)}`}${noted}`;
  return [
    `      - ${what}`,
    ...(finding.quote === '' ? [] : [`        - quoted: ${codeSpan(finding.quote, QUOTE_GRAPHEMES)}`]),
    ...(text === null ? [] : [`        - document: ${codeSpan(text, QUOTE_GRAPHEMES)}`]),
  ];
}

function absenceLine(absence: Absence): string {
  const at = absence.at === '' ? '' : `${codeSpan(absence.at)}: `;
  return `      - ${at}the answer says that the document does not say it; searched: ${searchedPhrase(absence, codeSpan)}`;
}

/** What an answer says: where, whether it stands there, its words, and what it says of them. */
export function findingItem({ finding, verdict, ...job }: FindingEntry): string {
  const where = place(finding);
  const notes = quoteNotes(finding, codeSpan);
  const worth = `${where === '' ? '' : `${where}: `}${verdictOnQuote(finding)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  const fields = Object.entries(finding.beside ?? {}).slice(0, FIELDS_SHOWN);
  return [
    `- ${jobName(job)} · ${verdict} · ${worth}`,
    `    - ${codeSpan(finding.quote, QUOTE_GRAPHEMES)}`,
    ...fields.map(([field, value]) => `    - ${codeSpan(field)}: ${codeSpan(String(value), QUOTE_GRAPHEMES)}`),
  ].join('\n');
}

export function partialItem({ document, jobs, coverage }: PartialDocument): string {
  return `- ${codeSpan(document)} — ${notEvaluatedPhrase(coverage, codeSpan)}${jobs > 1 ? ` (${counted(jobs, 'job')})` : ''}`;
}

export function errorItem(entry: ErrorEntry, links: Links): string {
  const where = entry.reason.startsWith('document_') ? codeSpan(entry.document) : jobName(entry);
  const count = entry.results > 1 ? ` (${counted(entry.results, 'result')} of this document)` : '';
  const message = entry.message === '' ? '' : ` — ${codeSpan(entry.message)}`;
  return `- ${codeSpan(entry.reason)} — ${where}${count}${message} · ${links.show(entry)}`;
}

export function slowItem(entry: SlowJob, links: Links): string {
  return `- ${duration(entry.latencyMs)} — ${jobName(entry)} · ${links.job(entry)}`;
}

export function indexItem(entry: IndexEntry, links: Links): string {
  const sign = entry.verdict === null ? entry.state : `${SIGNS[entry.verdict]} ${entry.verdict}`;
  const repeat = entry.repeat > 0 ? ` #${entry.repeat + 1}` : '';
  return `- ${sign} — ${jobName(entry)}${repeat} · ${links.job(entry)}`;
}
