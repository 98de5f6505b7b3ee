import { notEvaluatedPhrase } from './coverage-phrases.ts';
import { place, verdictOnQuote } from './evidence-phrases.ts';
import { headlineOf } from './headline.ts';
import { counted, grouped, resultCounts } from './phrases.ts';
import type { CheckEntry, ErrorEntry, JobRef, PartialDocument, ResultEntry, Summary } from './summary.ts';

/** A remark beside a file, as code hosts show them. Its texts are as they came: whoever writes them somewhere makes them harmless. */
export type Annotation = {
  readonly level: 'error' | 'warning' | 'notice';
  /** As the manifest names the document; `null`: about no file. */
  readonly file: string | null;
  /** From 1; `null` where the document has no lines of its own (PDF), or no place is known. */
  readonly line: number | null;
  readonly title: string;
  readonly message: string;
};

/** GitHub shows no more of a level from one step. */
const PER_LEVEL = 10;
const FINDINGS_SHOWN = 3;

/**
 * What a reviewer should see beside the documents, worst first: failures and what could not be evaluated are errors; what waits for a
 * person, or was evaluated in part, is a warning. At most 10 of a level; the last one of a level with more says how many are left.
 */
export function annotationsOf(summary: Summary): readonly Annotation[] {
  const { failures, notEvaluated, reviews, coverage } = summary;
  const errors = [
    ...failures.kept.map((entry) => resultAnnotation('error', 'failed', entry)),
    ...notEvaluated.entries.kept.map(errorAnnotation),
  ];
  const warnings = [
    ...reviews.kept.map((entry) => resultAnnotation('warning', 'to review', entry)),
    ...coverage.partial.kept.map(partialAnnotation),
  ];
  return [
    ...atMost(errors, failures.total + notEvaluated.entries.total, 'error'),
    ...atMost(warnings, reviews.total + coverage.partial.total, 'warning'),
  ];
}

/** Verdict and numbers of the run in one annotation about no file. */
export function headlineAnnotation(summary: Summary): Annotation {
  const { word, reason } = headlineOf(summary);
  return {
    level: 'notice',
    file: null,
    line: null,
    title: `aieval: ${word}`,
    message: `${summary.run.name} · ${reason}\n${counted(summary.documents.total, 'document')}, ${resultCounts(summary.results)} · run ${summary.run.id}`,
  };
}

function atMost(annotations: readonly Annotation[], total: number, level: Annotation['level']): readonly Annotation[] {
  if (total <= PER_LEVEL && annotations.length <= PER_LEVEL) return annotations;
  const shown = annotations.slice(0, PER_LEVEL - 1);
  const message = `${grouped(total - shown.length)} more in the summary`;
  return [...shown, { level, file: null, line: null, title: 'aieval', message }];
}

function resultAnnotation(level: Annotation['level'], what: string, entry: ResultEntry): Annotation {
  return {
    level,
    file: entry.document,
    line: lineOf(entry),
    title: `${entry.task} / ${entry.model}: ${what}`,
    message: [...entry.checks.flatMap(checkLines), shown(entry)].join('\n'),
  };
}

/** Of these the lines are those of the text that was taken out of them, not of the file. */
const WITHOUT_LINES = /\.(?:pdf|docx|x?html?|gz)$/i;
/** Of these the lines are the file's, although it has pages: between form feeds. */
const PLAIN_TEXT = /\.te?xt$/i;

/** Of the first finding that has one. Where there are pages, lines are counted within them, but for plain text. */
function lineOf({ document, checks }: ResultEntry): number | null {
  if (WITHOUT_LINES.test(document)) return null;
  for (const { findings } of checks) {
    for (const { evidence } of findings.kept) {
      if (evidence.position === null) continue;
      const { page, line } = evidence.position;
      return page === null || PLAIN_TEXT.test(document) ? line : null;
    }
  }
  return null;
}

function checkLines({ check, explanation, findings }: CheckEntry): readonly string[] {
  const quotes = findings.kept.slice(0, FINDINGS_SHOWN).map((finding) => {
    const where = place(finding);
    const quoted = finding.quote === '' ? '' : `: "${finding.quote}"`;
    return `- ${where === '' ? '' : `${where}, `}${verdictOnQuote(finding)}${quoted}`;
  });
  return [explanation === '' ? check : `${check}: ${explanation}`, ...quotes];
}

function errorAnnotation(entry: ErrorEntry): Annotation {
  const { reason, message, results } = entry;
  const count = results > 1 ? ` (${counted(results, 'result')} of this document)` : '';
  return {
    level: 'error',
    file: entry.document,
    line: null,
    title: `${entry.task} / ${entry.model}: not evaluated`,
    message: `${reason}${message === '' ? '' : `: ${message}`}${count}\n${shown(entry)}`,
  };
}

function partialAnnotation({ document, coverage }: PartialDocument): Annotation {
  return { level: 'warning', file: document, line: null, title: 'not evaluated in full', message: notEvaluatedPhrase(coverage, String) };
}

function shown({ jobId }: JobRef): string {
  return `aieval show ${jobId.slice(0, 8)}`;
}
