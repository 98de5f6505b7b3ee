import { oneLine } from '../../domain/hostile-text.ts';
import type { ResultLine, RunHeader } from '../../domain/result-line.ts';
import type { Finding, Score } from '../../domain/score.ts';
import { place, quoteNotes, verdictOnQuote } from '../evidence-phrases.ts';
import { counted } from '../phrases.ts';
import { xmlAttributes, xmlText } from './xml.ts';

export type CaseKind = 'passed' | 'failed' | 'error' | 'skipped';

const MAX_BYTES = 16 * 1024;
const NAME_GRAPHEMES = 1000;
const QUOTE_GRAPHEMES = 300;
const MESSAGE_GRAPHEMES = 500;

/**
 * What a job is to a CI server. What a person must decide is neither passed nor failed, and what was cancelled or is open was not run: all
 * are skipped, and say why.
 */
export function caseKind({ state, verdict }: ResultLine): CaseKind {
  if (state === 'cancelled' || verdict === null || verdict === 'review') return 'skipped';
  return { pass: 'passed' as const, fail: 'failed' as const, error: 'error' as const }[verdict];
}

/** Seconds, as JUnit counts them. */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** One `testcase`. */
export function testCase(line: ResultLine, header: RunHeader): string {
  const { task, model, document, latencyMs } = line;
  const repeats = (Object.hasOwn(header.tasks, task) ? header.tasks[task]?.repeats : undefined) ?? 1;
  const name = oneLine(document, NAME_GRAPHEMES) + (repeats > 1 ? `#${line.repeat + 1}` : '');
  const attributes = xmlAttributes({ name, classname: `${task}.${model}`, time: seconds(latencyMs ?? 0) });
  const inside = outcome(line) + systemOut(line);
  return inside === '' ? `    <testcase${attributes}/>\n` : `    <testcase${attributes}>\n${inside}    </testcase>\n`;
}

function outcome(line: ResultLine): string {
  switch (caseKind(line)) {
    case 'failed':
      return failure(line);
    case 'error':
      return `      <error${xmlAttributes({ type: line.error?.reason ?? 'error', message: errorMessage(line) })}/>\n`;
    case 'skipped':
      return `      <skipped${xmlAttributes({ message: whySkipped(line) })}/>\n`;
    case 'passed':
      return '';
  }
}

/** One for all failed checks: most readers show the first, and only that. */
function failure({ scores }: ResultLine): string {
  const failed = scores.filter(({ verdict, severity }) => verdict === 'fail' && severity === 'must');
  const [first] = failed;
  const more = failed.length > 1 ? ` (and ${counted(failed.length - 1, 'more failed check')})` : '';
  const message = (first === undefined ? 'failed' : oneLine(scoreLine(first), MESSAGE_GRAPHEMES)) + more;
  const attributes = xmlAttributes({ type: failed.map(({ check }) => check).join(', '), message });
  return `      <failure${attributes}>${xmlText(capped(failed.flatMap(scoreLines)))}</failure>\n`;
}

function errorMessage({ error }: ResultLine): string {
  if (error === null) return 'could not be evaluated';
  return error.message === '' ? error.reason : oneLine(error.message, MESSAGE_GRAPHEMES);
}

function whySkipped({ state, scores }: ResultLine): string {
  if (state === 'cancelled') return 'cancelled';
  if (state === 'queued' || state === 'running') return `not finished: ${state}`;
  const doubtful = scores.find(({ verdict }) => verdict === 'review');
  return doubtful === undefined ? 'to review' : `to review: ${oneLine(scoreLine(doubtful), MESSAGE_GRAPHEMES)}`;
}

/** What else there is to know of a job that is not simply passed, and how to see all of it. */
function systemOut(line: ResultLine): string {
  const others = line.scores.filter(({ verdict, severity }) => verdict === 'review' || (verdict === 'fail' && severity === 'warn'));
  const lines = others.flatMap(scoreLines);
  if (line.retries > 0) lines.push(line.retries === 1 ? '1 earlier try failed' : `${line.retries} earlier tries failed`);
  if (caseKind(line) !== 'passed') lines.push(`aieval show ${line.jobId}`);
  return lines.length === 0 ? '' : `      <system-out>${xmlText(capped(lines))}</system-out>\n`;
}

function scoreLines(score: Score): string[] {
  const words = { pass: 'passed', fail: score.severity === 'warn' ? 'warning' : 'failed', review: 'to review' }[score.verdict];
  return [`${words} ${oneLine(scoreLine(score), MESSAGE_GRAPHEMES)}`, ...score.findings.flatMap(findingLine)];
}

function scoreLine({ check, explanation }: Score): string {
  return explanation === '' ? check : `${check}: ${explanation}`;
}

/** A quote that stands needs no second look. */
function findingLine(finding: Finding): string[] {
  const { evidence, quote } = finding;
  if (evidence.status === 'verified' && evidence.seen !== false) return [];
  const text = (words: string): string => oneLine(words, QUOTE_GRAPHEMES);
  const said = Object.entries(finding.beside ?? {}).map(([field, value]) => `${text(field)}: ${text(String(value))}`);
  const facts = [verdictOnQuote(finding), ...(evidence.diff === null ? [] : [text(evidence.diff)]), ...quoteNotes(finding, text), ...said];
  const where = place(finding);
  return [`  quote${quote === '' ? '' : ` "${text(quote)}"`}${where === '' ? '' : `, ${where}`}: ${facts.join('; ')}`];
}

/** Whole lines, as many as fit. */
function capped(lines: readonly string[]): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_BYTES) return [...kept, `… ${counted(lines.length - kept.length, 'more line')}`].join('\n');
    kept.push(line);
  }
  return kept.join('\n');
}
