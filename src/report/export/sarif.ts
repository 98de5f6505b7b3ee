import { oneLine } from '../../domain/hostile-text.ts';
import { jobLabel } from '../../domain/job.ts';
import type { ResultLine, RunHeader } from '../../domain/result-line.ts';
import type { Score } from '../../domain/score.ts';
import { type BoundedList, boundedList } from '../bounded-list.ts';
import { counted } from '../phrases.ts';
import type { ExportSource } from './export-source.ts';
import { keptResults, RESULTS_KEPT } from './sarif-kept.ts';
import { levelOf, ruleId, sarifResults } from './sarif-result.ts';
import { sourceKind } from './sarif-source.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const NAMED = 20;
const NAME_GRAPHEMES = 200;

export type SarifOptions = {
  /** Path of a document's file, relative to where code scanning looks from: the root of the repository. */
  readonly pathOf: (documentId: string) => string;
  /** Told what the log leaves out, which it says as well. */
  readonly onNote?: (note: string) => void;
};

/**
 * A SARIF 2.1.0 log of what the checks found in documents whose lines are a text file's. In memory at most: the results that are kept, the
 * worst first, and the rules.
 */
export async function* sarif({ header, lines }: ExportSource, { pathOf, onNote }: SarifOptions): AsyncGenerator<string> {
  const kept = keptResults();
  const rules = new Map<string, object>();
  const without = new Set<string>();
  const broken = boundedList<string>(NAMED);
  for await (const line of lines()) {
    if (line.error !== null) broken.add(`${labelOf(line, header)} (${line.error.reason})`);
    const kind = sourceKind(line);
    if (kind === 'none') without.add(line.document);
    else
      for (const found of sarifResults(line, kind, pathOf(line.document), header.privacy !== 'none')) {
        kept.add(found);
        addRule(rules, line.task, found.score);
      }
  }
  const { results, left } = kept.finish();
  const notes = [...withoutLines([...without]), ...leftOut(left), ...notEvaluated(broken.finish())];
  for (const note of notes) onNote?.(note);
  yield `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [runOf(header, [...rules.values()], results, notes)] })}\n`;
}

function labelOf(line: ResultLine, { tasks }: RunHeader): string {
  const repeats = Object.hasOwn(tasks, line.task) ? tasks[line.task]?.repeats : undefined;
  return oneLine(jobLabel({ ...line, documentId: line.document }, repeats), NAME_GRAPHEMES);
}

function runOf({ run, version }: RunHeader, rules: readonly object[], results: readonly object[], notes: readonly string[]): object {
  const isOver = run.state === 'finished';
  return {
    tool: { driver: { name: 'aieval', version, rules } },
    automationDetails: { id: `aieval/${encodeURIComponent(run.name)}/` },
    invocations: [
      {
        executionSuccessful: isOver,
        startTimeUtc: run.startedAt,
        ...(run.finishedAt === null ? {} : { endTimeUtc: run.finishedAt }),
        toolExecutionNotifications: notes.map((text) => ({ level: 'warning', message: { text } })),
      },
    ],
    properties: { runId: run.id, runState: run.state },
    results,
  };
}

const ASKS: Readonly<Record<string, string>> = {
  evidence: 'Every quote in an answer must stand in the document.',
  schema: 'The answer must have the form that the task asks for.',
  count: 'The number of items in the answer must be within bounds.',
  range: 'A number in the answer must be within bounds.',
};

function addRule(rules: Map<string, object>, task: string, score: Score): void {
  const id = ruleId(task, score.check);
  if (rules.has(id)) return;
  const { severity } = score;
  const [name, of, type] = [score.check, task, score.type].map((text) => oneLine(text, NAME_GRAPHEMES));
  const text = (Object.hasOwn(ASKS, score.type) ? ASKS[score.type] : undefined) ?? `The answer must pass a check of type ${type}.`;
  rules.set(id, {
    id,
    shortDescription: { text: `Check "${name}" of task "${of}"` },
    fullDescription: { text },
    help: { text: `${text} The whole job, with prompt, answer and attempts: aieval show JOB.` },
    defaultConfiguration: { level: levelOf({ verdict: 'fail', severity }) },
    properties: { tags: ['aieval', type].filter((tag) => tag !== '') },
  });
}

function withoutLines(documents: readonly string[]): string[] {
  if (documents.length === 0) return [];
  return [
    `${counted(documents.length, 'document')} left out, because the lines of PDF, DOCX and packed files are no lines of text: ${named(documents)}`,
  ];
}

function leftOut(left: number): string[] {
  return left === 0 ? [] : [`${counted(left, 'result')} left out: only the worst ${counted(RESULTS_KEPT, 'result')} are kept`];
}

function notEvaluated({ total, kept }: BoundedList<string>): string[] {
  return total === 0 ? [] : [`${counted(total, 'job')} could not be evaluated: ${named(kept, total)}`];
}

function named(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, NAMED).map((name) => oneLine(name, NAME_GRAPHEMES));
  return `${shown.join(', ')}${total > shown.length ? ` and ${counted(total - shown.length, 'other')}` : ''}`;
}
