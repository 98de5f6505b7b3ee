import { oneLine } from '../domain/hostile-text.ts';
import type { Absence, Finding } from '../domain/score.ts';
import { notEvaluatedPhrase, partsSentence } from './coverage-phrases.ts';
import { documentWords, evidenceSentence, place, quoteNotes, searchedPhrase, verdictOnQuote } from './evidence-phrases.ts';
import { type FailureGroup, failureGroups, type GroupedCheck, resultsIn } from './failure-groups.ts';
import { headlineOf } from './headline.ts';
import {
  counted,
  grouped,
  passPercent,
  provenanceSentence,
  resultCounts,
  shownOf,
  speedPhrase,
  stopSentence,
  totals,
  unprovenSentence,
} from './phrases.ts';
import type { JobRef, MatrixRow, Summary } from './summary.ts';

const ROWS_SHOWN = 20;
const RESULTS_SHOWN = 10;
const ERRORS_SHOWN = 10;
const FINDINGS_SHOWN = 2;
const EXPLANATIONS_SHOWN = 2;
const BRIEF_GRAPHEMES = 80;
const ABSENCES_SHOWN = 2;
const DOCUMENTS_SHOWN = 10;

/** The summary as plain text for a terminal or a log: no control characters, and no line starts with text that is not ours. */
export function summaryText(summary: Summary): string {
  const blocks = [
    top(summary),
    provenanceSentence(summary),
    stopSentence(summary, oneLine),
    table(summary.matrix),
    [evidenceSentence(summary), unprovenSentence(summary), partsSentence(summary)].filter((sentence) => sentence !== null).join('\n'),
    results('Failures', summary.failures),
    results('To review', summary.reviews),
    errors(summary),
    partial(summary),
    warnings(summary),
    speeds(summary),
    totals(summary).join(' · '),
  ];
  return `${blocks.filter((block) => block !== null && block !== '').join('\n\n')}\n`;
}

function top(summary: Summary): string {
  const { word, reason } = headlineOf(summary, oneLine);
  const { run, documents } = summary;
  return `${word}  ${oneLine(run.name)} · run ${oneLine(run.id)} · ${reason}\n${counted(documents.total, 'document')}, ${resultCounts(summary.results)}`;
}

/** Numbers first: names may be wide or end in anything, and would push what follows them out of line. */
function table(matrix: readonly MatrixRow[]): string {
  if (matrix.length === 0) return '';
  const head = ['pass', 'fail', 'not eval.', 'review', 'pass rate'];
  const rows = matrix.slice(0, ROWS_SHOWN).map((row) => ({
    numbers: [...[row.pass, row.fail, row.error, row.review].map(grouped), passPercent(row) ?? '–'],
    name: `${oneLine(row.task)} / ${oneLine(row.model)}`,
  }));
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map(({ numbers }) => numbers[column]?.length ?? 0)));
  const aligned = (cells: readonly string[]) => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ');
  const lines = rows.map(({ numbers, name }) => `  ${aligned(numbers)}  ${name}`);
  return [`  ${aligned(head)}  task / model`, ...lines, ...more(matrix.length - rows.length, 'more')].join('\n');
}

function results(title: string, list: Summary['failures']): string {
  if (list.total === 0) return '';
  const shown = failureGroups(list.kept).slice(0, RESULTS_SHOWN);
  const lines = shown.flatMap(({ entries, checks }) => [groupLine(entries), ...checks.flatMap(checkLines)]);
  const inSight = resultsIn(shown);
  return [`${title} (${shownOf(list.total, inSight)})`, ...lines, ...more(list.total - inSight, 'more in results.jsonl')].join('\n');
}

function groupLine(entries: FailureGroup['entries']): string {
  const [first] = entries;
  if (entries.length === 1) return `  - ${jobName(first)}  job ${shortId(first)}`;
  const models = entries.map((entry) => `${oneLine(entry.model)} (job ${shortId(entry)})`);
  return `  - ${oneLine(first.document)}  ${oneLine(first.task)}  ${counted(entries.length, 'model')}: ${models.join(', ')}`;
}

function checkLines({ check, explanations, findings, absences }: GroupedCheck): readonly string[] {
  return [
    `      · ${oneLine(check)}${
      explanations.length === 0
        ? ''
        : `: ${explanations
            .slice(0, EXPLANATIONS_SHOWN)
            .map((text) => oneLine(text, findings.total > 0 ? BRIEF_GRAPHEMES : undefined))
            .join(' / ')}`
    }`,
    ...findings.kept.slice(0, FINDINGS_SHOWN).flatMap(findingLines),
    ...absences.kept.slice(0, ABSENCES_SHOWN).map(absenceLine),
  ];
}

function findingLines(finding: Finding): readonly string[] {
  const { diff } = finding.evidence;
  const text = documentWords(finding.evidence);
  const where = place(finding);
  const notes = quoteNotes(finding, oneLine);
  return [
    `        ${where === '' ? '' : `${where}: `}${verdictOnQuote(finding)}${diff === null ? '' : ` ${oneLine(diff)}`}`,
    ...(finding.quote === '' ? [] : [`          quoted:   ${oneLine(finding.quote)}`]),
    ...(text === null ? [] : [`          document: ${oneLine(text)}`]),
    ...notes.map((note) => `          ${note}`),
  ];
}

function absenceLine(absence: Absence): string {
  const at = absence.at === '' ? '' : ` (${oneLine(absence.at)})`;
  return `        said not to be in the document${at}; searched: ${searchedPhrase(absence, oneLine)}`;
}

function errors({ notEvaluated }: Summary): string {
  if (notEvaluated.results === 0) return '';
  const shown = notEvaluated.entries.kept.slice(0, ERRORS_SHOWN);
  const lines = shown.map(
    (entry) =>
      `  - ${entry.reason} × ${grouped(entry.results)}  ${jobName(entry)}${entry.message === '' ? '' : `: ${oneLine(entry.message)}`}  job ${shortId(entry)}`,
  );
  const inSight = shown.reduce((sum, entry) => sum + entry.results, 0);
  return [
    `Not evaluated (${shownOf(notEvaluated.results, inSight)})`,
    ...lines,
    ...more(notEvaluated.results - inSight, 'more in results.jsonl'),
  ].join('\n');
}

function partial({ coverage: { partial: list } }: Summary): string {
  if (list.total === 0) return '';
  const shown = list.kept.slice(0, DOCUMENTS_SHOWN);
  const lines = shown.map(({ document, coverage }) => `  - ${oneLine(document)}  ${notEvaluatedPhrase(coverage, oneLine)}`);
  const title = `Not evaluated in full (${counted(list.total, 'document')})`;
  return [title, ...lines, ...more(list.total - shown.length, 'more in results.jsonl')].join('\n');
}

function warnings({ documents: { warnings: list } }: Summary): string {
  if (list.total === 0) return '';
  const shown = list.kept.slice(0, DOCUMENTS_SHOWN);
  const lines = shown.map(({ text, documents, total }) => {
    const others = total > documents.length ? ` and ${grouped(total - documents.length)} more` : '';
    return `  - ${oneLine(text)}  (${documents.map((document) => oneLine(document)).join(', ')}${others})`;
  });
  return [`Document warnings (${grouped(list.total)})`, ...lines, ...more(list.total - shown.length, 'more')].join('\n');
}

function speeds({ models }: Summary): string {
  const lines = models.flatMap((model) => (speedPhrase(model) === '' ? [] : [`  - ${oneLine(model.id)}: ${speedPhrase(model)}`]));
  return lines.length === 0 ? '' : ['Models', ...lines].join('\n');
}

function jobName({ document, task, model }: JobRef): string {
  return `${oneLine(document)}  ${oneLine(task)} / ${oneLine(model)}`;
}

function shortId({ jobId }: JobRef): string {
  return oneLine(jobId.slice(0, 8));
}

function more(count: number, words: string): readonly string[] {
  return count > 0 ? [`  … ${grouped(count)} ${words}`] : [];
}
