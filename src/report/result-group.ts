import type { ResultLine } from '../domain/result-line.ts';
import type { Absence, Finding, Score } from '../domain/score.ts';
import { type Aggregate, type JobVerdict, resultVerdict } from '../domain/verdict.ts';
import { boundedList } from './bounded-list.ts';
import type { CheckEntry, JobRef, ResultEntry } from './summary.ts';

const FINDINGS_KEPT = 5;
const ABSENCES_KEPT = 5;
const WORST_FIRST: readonly JobVerdict[] = ['error', 'fail', 'review', 'pass'];

/** The repeats of one document × task × model, in plan order; never empty. */
export type Repeats = readonly [ResultLine, ...ResultLine[]];

/** Verdict of a job as a result counts it, `null` while it is open. A cancelled job could not be evaluated. */
function countedVerdict(line: ResultLine): JobVerdict | null {
  return line.state === 'cancelled' ? 'error' : line.verdict;
}

/** Verdict over the repeats; `null` while one of them is open. */
export function groupVerdict(lines: Repeats, aggregate: Aggregate): JobVerdict | null {
  const verdicts = lines.map(countedVerdict).filter((verdict) => verdict !== null);
  return verdicts.length < lines.length ? null : resultVerdict(verdicts, aggregate);
}

/** The first repeat with the result's verdict; where the repeats disagree into another one, the worst of them. */
export function speaker(lines: Repeats, verdict: JobVerdict): ResultLine {
  for (const wanted of [verdict, ...WORST_FIRST]) {
    const found = lines.find((line) => countedVerdict(line) === wanted);
    if (found !== undefined) return found;
  }
  return lines[0];
}

export function jobRef(line: ResultLine): JobRef {
  const { jobId, document, task, model, artifacts } = line;
  return { jobId, document, task, model, artifacts };
}

export function resultEntry(lines: Repeats, verdict: JobVerdict): ResultEntry {
  const repeats = { pass: 0, fail: 0, review: 0, error: 0 };
  for (const line of lines) {
    const counted = countedVerdict(line);
    if (counted !== null) repeats[counted] += 1;
  }
  const line = speaker(lines, verdict);
  return { ...jobRef(line), verdict, repeats, checks: failedChecks(line.scores) };
}

function failedChecks(scores: readonly Score[]): readonly CheckEntry[] {
  const counting = scores.filter((score) => score.severity === 'must' || score.verdict === 'review');
  const failed = counting.filter((score) => score.verdict === 'fail');
  const doubtful = counting.filter((score) => score.verdict === 'review');
  return [...failed, ...doubtful].map(checkEntry);
}

function checkEntry({ check, verdict, explanation, findings, absences = [] }: Score): CheckEntry {
  const list = boundedList<Finding>(FINDINGS_KEPT, (a, b) => severityOf(b) - severityOf(a));
  for (const finding of findings) if (severityOf(finding) > 0) list.add(finding);
  const absent = boundedList<Absence>(ABSENCES_KEPT);
  for (const absence of absences) absent.add(absence);
  return { check, verdict, explanation, findings: list.finish(), absences: absent.finish() };
}

/** 0 for a quote that needs no second look. */
function severityOf({ evidence: { status, seen } }: Finding): number {
  if (status === 'verified') return seen === false ? 2 : 0;
  return { rejected: 4, near: 3, elided: seen === false ? 2 : 1 }[status];
}

/** All repeats that passed had something to look up and found nothing to look up. */
export function passedWithoutFinding(lines: Repeats): boolean {
  const passed = lines.filter((line) => line.verdict === 'pass');
  const evidence = passed.flatMap((line) => line.scores.filter((score) => score.type === 'evidence'));
  return evidence.length > 0 && evidence.every(({ findings, absences = [] }) => findings.length + absences.length === 0);
}

/** No check ran on its answers: it passes because there was nothing to fail. */
export function passedUnchecked(lines: Repeats): boolean {
  return lines.filter((line) => line.verdict === 'pass').every((line) => line.scores.length === 0);
}

/** How bad a failure is: share of failed repeats, then failed checks, then quotes that did not stand. */
export function compareFailures(a: ResultEntry, b: ResultEntry): number {
  return failedShare(b) - failedShare(a) || failedCheckCount(b) - failedCheckCount(a) || unverifiedCount(b) - unverifiedCount(a);
}

function failedShare({ repeats }: ResultEntry): number {
  return repeats.fail / Math.max(1, repeats.pass + repeats.fail + repeats.review + repeats.error);
}

function failedCheckCount(entry: ResultEntry): number {
  return entry.checks.filter((check) => check.verdict === 'fail').length;
}

function unverifiedCount(entry: ResultEntry): number {
  return entry.checks.reduce((sum, check) => sum + check.findings.total, 0);
}
