import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import type { Absence, Evidence, Finding, Score } from '../domain/score.ts';
import { counted, grouped } from './phrases.ts';

/**
 * The header as reports may show it. With `privacy.evidence: "none"` the texts that may hold words of a document, a model or a server are
 * empty; names, numbers and reasons stay.
 */
export function shownHeader(header: RunHeader): RunHeader {
  if (header.privacy !== 'none') return header;
  return {
    ...header,
    documents: header.documents.map((document) => ({
      ...document,
      warnings: withheldWarnings(document.warnings),
      error: withoutMessage(document.error),
    })),
    ...(header.stoppedBy === undefined ? {} : { stoppedBy: header.stoppedBy.map((stop) => ({ ...stop, message: null })) }),
  };
}

/** A result line as reports of its run may show it; see `shownHeader`. Explanations become counts of what was found. */
export function shownLine(line: ResultLine, { privacy }: Pick<RunHeader, 'privacy'>): ResultLine {
  if (privacy !== 'none') return line;
  const { coverage } = line;
  return {
    ...line,
    scores: line.scores.map(shownScore),
    error: withoutMessage(line.error),
    ...(coverage === undefined ? {} : { coverage: shownCoverage(coverage) }),
  };
}

function withoutMessage<Failure extends { readonly message: string }>(error: Failure | null): Failure | null {
  return error && { ...error, message: '' };
}

function withheldWarnings(warnings: readonly string[]): readonly string[] {
  return warnings.length === 0 ? [] : [`${counted(warnings.length, 'warning')}, not shown`];
}

/** A score without words: its explanation is a count of what was found. */
export function shownScore(score: Score): Score {
  const { value, findings, absences } = score;
  return {
    ...score,
    // A number or a yes is no word.
    value: typeof value === 'number' || typeof value === 'boolean' ? value : null,
    explanation: findingCounts(findings),
    findings: findings.map(shownFinding),
    ...(absences === undefined ? {} : { absences: absences.map(shownAbsence) }),
  };
}

/** `3 quotes: 2 verified, 1 rejected`; empty without a quote. */
function findingCounts(findings: readonly Finding[]): string {
  if (findings.length === 0) return '';
  const counts = { verified: 0, elided: 0, near: 0, rejected: 0 };
  for (const { evidence } of findings) counts[evidence.status] += 1;
  const parts = Object.entries(counts).flatMap(([status, count]) => (count === 0 ? [] : [`${grouped(count)} ${status}`]));
  return `${counted(findings.length, 'quote')}: ${parts.join(', ')}`;
}

/** Keys in a pointer are the model's own where the schema leaves them open, and so are the fields beside a quote. */
function shownFinding({ beside: _, ...finding }: Finding): Finding {
  return { ...finding, at: '', quote: '', evidence: shownEvidence(finding.evidence) };
}

function shownEvidence({ context: _, ...evidence }: Evidence): Evidence {
  const { position } = evidence;
  return { ...evidence, diff: null, text: null, position: position && { ...position, pageLabel: null, section: null } };
}

function shownAbsence(absence: Absence): Absence {
  return { ...absence, at: '', searched: [] };
}

function shownCoverage(coverage: NonNullable<ResultLine['coverage']>): NonNullable<ResultLine['coverage']> {
  return {
    ...coverage,
    sections: { ...coverage.sections, missed: [] },
    lostPages: coverage.lostPages.map(({ number }) => ({ number, label: null, why: 'lost' })),
  };
}
