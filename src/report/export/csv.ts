import { oneLine, withoutBuildCommands } from '../../domain/hostile-text.ts';
import type { ResultLine, RunHeader } from '../../domain/result-line.ts';
import type { CheckVerdict, Evidence } from '../../domain/score.ts';
import type { ExportSource } from './export-source.ts';

type Cell = string | number | boolean | null;

const EXPLANATION_GRAPHEMES = 500;
/** Of any cell: names of documents are paths. */
const LONGEST_CELL = 5000;

/** Columns are only ever added, at the end. */
const COLUMNS: readonly (readonly [name: string, cell: (line: ResultLine, header: RunHeader) => Cell])[] = [
  ['run', (_, header) => header.run.id],
  ['job_id', (line) => line.jobId],
  ['document', (line) => line.document],
  ['task', (line) => line.task],
  ['model', (line) => line.model],
  ['repeat', (line) => line.repeat + 1],
  ['state', (line) => line.state],
  ['verdict', (line) => line.verdict],
  ['failed_checks', (line) => checksOf(line, 'fail')],
  ['review_checks', (line) => checksOf(line, 'review')],
  ['explanation', (line) => explanationOf(line)],
  ['quotes_verified', (line) => quotesOf(line, 'verified')],
  ['quotes_elided', (line) => quotesOf(line, 'elided')],
  ['quotes_near', (line) => quotesOf(line, 'near')],
  ['quotes_rejected', (line) => quotesOf(line, 'rejected')],
  ['reason', (line) => line.error?.reason ?? null],
  ['message', (line) => oneLine(line.error?.message ?? '', EXPLANATION_GRAPHEMES)],
  ['cached', (line) => line.cached],
  ['cost_usd', (line) => line.costUsd],
  ['input_tokens', ({ usage }) => usage.uncachedInput + usage.cacheRead + usage.cacheWrite],
  ['cached_input_tokens', ({ usage }) => usage.cacheRead],
  ['output_tokens', ({ usage }) => usage.output],
  ['calls', (line) => line.calls],
  ['attempts', (line) => line.attempts],
  ['retries', (line) => line.retries],
  ['latency_ms', (line) => line.latencyMs],
  ['reasked', (line) => line.reasked],
  ['repaired', (line) => line.repaired],
  ['artifacts', (line) => line.artifacts],
];

/**
 * One row for each job, below a header: RFC 4180, lines end with CR LF, UTF-8 without a mark. A text that a spreadsheet would take for a
 * formula gets an apostrophe in front; `repeat` counts from 1, as job names do; nothing known is an empty cell.
 */
export async function* csv({ header, lines }: ExportSource): AsyncGenerator<string> {
  yield row(COLUMNS.map(([name]) => name));
  for await (const line of lines()) yield row(COLUMNS.map(([, cell]) => cell(line, header)));
}

function row(cells: readonly Cell[]): string {
  return `${cells.map(written).join(',')}\r\n`;
}

function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return decimal(cell);
  if (typeof cell === 'boolean') return String(cell);
  const text = withoutFormula(withoutBuildCommands(oneLine(cell, LONGEST_CELL)));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Money has nine decimals at most; `1e-7` is no number to every reader. */
function decimal(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(9).replace(/\.?0+$/, '');
}

/** A number cannot be one: it is ours, and never negative. */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}

function checksOf(line: ResultLine, verdict: CheckVerdict): string {
  return line.scores.flatMap((score) => (score.verdict === verdict ? [score.check] : [])).join('; ');
}

/** Of the worst check that did not pass. */
function explanationOf({ scores }: ResultLine): string {
  const worst =
    scores.find((score) => score.verdict === 'fail' && score.severity === 'must') ??
    scores.find((score) => score.verdict === 'review') ??
    scores.find((score) => score.verdict === 'fail');
  return worst === undefined || worst.explanation === '' ? '' : oneLine(`${worst.check}: ${worst.explanation}`, EXPLANATION_GRAPHEMES);
}

function quotesOf({ scores }: ResultLine, status: Evidence['status']): number {
  let count = 0;
  for (const { findings } of scores) for (const { evidence } of findings) if (evidence.status === status) count += 1;
  return count;
}
