import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import { runVerdict } from '../domain/run.ts';
import type { JobVerdict, ResultCounts, RunVerdict } from '../domain/verdict.ts';
import { boundedList } from './bounded-list.ts';
import { errorTally } from './error-tally.ts';
import { findingList } from './finding-list.ts';
import { jobTally } from './job-tally.ts';
import { matrixTally } from './matrix-tally.ts';
import { shownHeader, shownLine } from './privacy.ts';
import {
  compareFailures,
  groupVerdict,
  passedUnchecked,
  passedWithoutFinding,
  type Repeats,
  resultEntry,
  speaker,
} from './result-group.ts';
import type { DocumentWarning, ModelEntry, ResultEntry, Summary } from './summary.ts';
import { groupedWarnings, isWorthALine, warningGroups } from './warning-groups.ts';

const RESULTS_KEPT = 50;
const WARNED_DOCUMENTS_KEPT = 20;
const WARNINGS_KEPT = 20;

export type SummaryBuilder = {
  /** Takes the next job. Plan order keeps memory bounded; any order gives the right counts. */
  add(line: ResultLine): void;
  finish(): Summary;
};

/** Folds the lines of a run into its summary: counters and the worst few, however many jobs there are. What may not be shown is not in it. */
export function createSummary(told: RunHeader): SummaryBuilder {
  const header = shownHeader(told);
  const jobs = jobTally();
  const inputs: Inputs = new Map();
  const results = resultFold(header);
  const pending = new Map<string, GrowingRepeats>();
  return {
    add(said) {
      const line = shownLine(said, header);
      jobs.add(line);
      addInput(inputs, line);
      const key = JSON.stringify([line.document, line.task, line.model]);
      const before = pending.get(key);
      const lines: GrowingRepeats = before ?? [line];
      if (before !== undefined) before.push(line);
      const { repeats, aggregate } = taskOf(header, line.task);
      if (lines.length < repeats) return void pending.set(key, lines);
      pending.delete(key);
      results.add(lines, groupVerdict(lines, aggregate));
    },
    finish() {
      // Repeats that never came: the plan was not complete when this was written.
      for (const lines of pending.values()) results.add(lines, null);
      pending.clear();
      const jobPart = jobs.finish(header.jobs);
      const resultPart = results.finish();
      const verdict = verdictOf(header, resultPart.results, jobPart.jobs.open);
      return { ...headerPart(header), models: modelEntries(header, inputs), ...jobPart, ...resultPart, verdict };
    },
  };
}

/** The summary of a run whose lines are all at hand. */
export function summarize(header: RunHeader, lines: Iterable<ResultLine>): Summary {
  const builder = createSummary(header);
  for (const line of lines) builder.add(line);
  return builder.finish();
}

function taskOf(header: RunHeader, task: string): RunHeader['tasks'][string] {
  return (Object.hasOwn(header.tasks, task) ? header.tasks[task] : undefined) ?? { repeats: 1, aggregate: 'majority' };
}

/** Grown in place: a line of a file that someone else wrote may have any number of repeats. */
type GrowingRepeats = [ResultLine, ...ResultLine[]];

function resultFold(header: RunHeader) {
  const counts = { total: 0, open: 0, pass: 0, fail: 0, review: 0, error: 0 };
  const matrix = matrixTally();
  const errors = errorTally();
  const failures = boundedList<ResultEntry>(RESULTS_KEPT, compareFailures);
  const reviews = boundedList<ResultEntry>(RESULTS_KEPT);
  const findings = findingList(header);
  let unproven = 0;
  let unchecked = 0;
  return {
    add(lines: Repeats, verdict: JobVerdict | null) {
      counts.total += 1;
      counts[verdict ?? 'open'] += 1;
      matrix.add(lines[0], verdict);
      if (verdict !== null && verdict !== 'error') findings.add(speaker(lines, verdict), verdict);
      if (verdict === 'fail') failures.add(resultEntry(lines, verdict));
      if (verdict === 'review') reviews.add(resultEntry(lines, verdict));
      if (verdict === 'error') errors.add(speaker(lines, verdict));
      if (verdict === 'pass' && passedWithoutFinding(lines)) unproven += 1;
      if (verdict === 'pass' && passedUnchecked(lines)) unchecked += 1;
    },
    finish: () => ({
      results: { ...counts },
      passedWithoutFinding: unproven,
      passedUnchecked: unchecked,
      matrix: matrix.finish(),
      failures: failures.finish(),
      reviews: reviews.finish(),
      notEvaluated: errors.finish(),
      findings: findings.finish(),
    }),
  };
}

/**
 * Jobs of a run that is over and without a line are missing from a file that was cut: never a pass. A run that goes on and has no job yet
 * says nothing.
 */
function verdictOf({ run, gate }: RunHeader, results: ResultCounts, openJobs: number): RunVerdict | null {
  const isOver = run.state === 'finished' || run.state === 'cancelled';
  if (openJobs > 0) return isOver ? 'incomplete' : null;
  return run.state === 'planning' || (!isOver && results.total === 0) ? null : runVerdict(run.state, results, gate);
}

function headerPart({ run, version, manifest, gate, privacy, selection, documents, budget, stoppedBy }: RunHeader) {
  const warned = boundedList<DocumentWarning>(WARNED_DOCUMENTS_KEPT);
  for (const { id, warnings } of documents) {
    if (warnings.length > 0) warned.add({ document: id, warnings: groupedWarnings(warnings) });
  }
  const failed = documents.filter((document) => document.error !== null).length;
  const told = documents.map(({ id, warnings }) => ({ document: id, warnings: warnings.filter(isWorthALine) }));
  return {
    run,
    version,
    manifest,
    gate,
    privacy: privacy ?? 'quote',
    selection: selection ?? null,
    budget: budget ?? null,
    stoppedBy: stoppedBy ?? [],
    documents: { total: documents.length, failed, warned: warned.finish(), warnings: warningGroups(told, WARNINGS_KEPT) },
  };
}

/** Input tokens of each model's calls, all and those from the provider's cache. */
type Inputs = Map<string, { readonly inputTokens: number; readonly cachedInputTokens: number }>;

function addInput(inputs: Inputs, { model, usage: { uncachedInput, cacheRead, cacheWrite } }: ResultLine): void {
  const { inputTokens = 0, cachedInputTokens = 0 } = inputs.get(model) ?? {};
  inputs.set(model, {
    inputTokens: inputTokens + uncachedInput + cacheRead + cacheWrite,
    cachedInputTokens: cachedInputTokens + cacheRead,
  });
}

/** Sorted, because the order of an object's keys does not survive every file and database. */
function modelEntries({ models, speeds = {} }: RunHeader, inputs: Inputs): readonly ModelEntry[] {
  const entries = Object.entries(models).map(([id, { provider, model }]) => {
    const { firstTokenMs = null, tokensPerSecond = null } = (Object.hasOwn(speeds, id) ? speeds[id] : undefined) ?? {};
    const { inputTokens = 0, cachedInputTokens = 0 } = inputs.get(id) ?? {};
    return { id, provider, model, inputTokens, cachedInputTokens, firstTokenMs, tokensPerSecond };
  });
  return entries.sort((a, b) => (a.id < b.id ? -1 : 1));
}
