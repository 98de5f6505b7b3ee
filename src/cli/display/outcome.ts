import { oneLine } from '../../domain/hostile-text.ts';
import { advised } from '../../domain/next-step.ts';
import type { Reason } from '../../domain/reason.ts';
import { selectedPart } from '../../domain/selection.ts';
import { errorRate, passPercentage, type ResultCounts, type RunVerdict } from '../../domain/verdict.ts';
import { waitsInVain } from '../../engine/waits-in-vain.ts';
import { verdictSign } from '../../report/headline.ts';
import { passPercent, sharePercent } from '../../report/phrases.ts';
import type { Summary } from '../../report/summary.ts';
import type { RunTotals, Waiting } from '../../store/rows.ts';
import { EXIT } from '../exit-codes.ts';
import { shortJobId } from '../jobs/job-names.ts';
import { partText } from '../jobs/part-text.ts';
import { enqueuedText, planProgress } from '../jobs/plan-progress.ts';
import { costRecord, waitingRecord } from '../jobs/record-shapes.ts';
import { asTyped } from '../lead.ts';
import { lengthFix } from '../plan/length-fix.ts';
import { mergeFix } from '../plan/merge-fix.ts';
import type { RunHere } from '../run/run-here.ts';
import { continueLine, runLine } from '../run/run-line.ts';
import { counted } from '../terminal/format.ts';
import type { Colour, Paint } from '../terminal/style.ts';
import { columnsOf, cut, cutStart, pad } from '../terminal/width.ts';
import { wrapped } from '../terminal/wrap.ts';
import { uncertainText } from './budget-text.ts';
import type { CauseExample, Causes } from './causes.ts';
import { savedLines } from './saved-lines.ts';
import { type NextCall, type StopText, settleLine, stopText } from './stop-text.ts';
import { allWaitingText } from './waiting-text.ts';

/** How one invocation of `run` or `retry` ended. */
export type RunOutcome = {
  readonly run: RunHere;
  readonly verdict: RunVerdict;
  /** Every exit code that applies; `exitCode` is what the process returns. */
  readonly codes: readonly number[];
  readonly exitCode: number;
  readonly totals: RunTotals;
  readonly causes: Causes;
  readonly durationMs: number;
  readonly nowMs: number;
  /** What the open work waits for, where this process did not wait for it. */
  readonly stoppedBy: readonly Waiting[];
  /** The most that its open calls can cost, where its budget stopped it and that is known. */
  readonly openNanoUsd: number | null;
  /** The call that its budget stopped, where that is known. */
  readonly nextCall?: NextCall | null;
  /** Reasons of which all failed jobs were asked again by this invocation. */
  readonly askedAgain?: readonly Reason[];
  /** Whether the process exits with `exitCode`: not where it goes on with other runs. */
  readonly isLast: boolean;
  /** False where a later run is the one that a command means which names none. */
  readonly isLatest?: boolean;
  /** Names of the files that the manifest's `outputs` ask for and that stand in the run's folder. */
  readonly outputs?: readonly string[];
  /** False where the run's folder is another machine's. */
  readonly filesHere?: boolean;
  /** False where its files were not written. */
  readonly withFiles?: boolean;
  /** For a display that wants it. */
  readonly summary?: Summary | null;
  /** Shown without words of documents, models and servers. */
  readonly bare?: boolean;
};

export type OutcomeLook = {
  readonly cwd: string;
  /** How the commands in it begin. */
  readonly lead: string;
  readonly paint: Paint;
  readonly columns: number;
};

const CAUSE_COLUMNS = 24;
const SHORTEST_DETAIL = 20;
const LONGEST_NAME = 40;
const LONGEST_STEP = 1000;
/** Failures that the same question will meet again: trying again without a change spends for nothing. */
const NEEDS_A_CHANGE: ReadonlySet<Reason> = new Set<Reason>([
  'bad_request',
  'blocked_input',
  'auth',
  'quota',
  'model_unknown',
  'wrong_url',
  'unsupported',
]);

/** Failures that are the model's own answer: it may give another one, once. */
const ANSWERS: ReadonlySet<Reason> = new Set<Reason>(['refused', 'blocked_output', 'empty_answer', 'invalid_answer']);

/** The last block of a run: the verdict, the causes, what to type for each, and where the files are. */
export function outcomeLines(outcome: RunOutcome, look: OutcomeLook): string[] {
  return [
    headline(outcome, look),
    ...errorLines(outcome, look),
    ...failureLine(outcome, look),
    ...reviewLine(outcome, look),
    ...openLine(outcome, look),
    ...planLine(outcome, look),
    ...cancelledLine(outcome),
    ...uncertainLines(outcome, look),
    ...savedLines(outcome, look),
  ];
}

/** The verdict on one line. */
function headline(outcome: RunOutcome, { paint }: OutcomeLook): string {
  const [word, colour] = verdictWord(outcome);
  const exit = outcome.exitCode === EXIT.pass || !outcome.isLast ? '' : `    exit ${outcome.exitCode}`;
  const part = partText(outcome.run.settings, outcome.totals.jobs.total);
  const [ofPart, share] = part === null ? ['', ''] : [' of a part', ` · ${part}`];
  return `${paint(colour, `${word}${ofPart}`)}  ${outcome.run.runId}${share} · ${verdictText(outcome)}${exit}`;
}

/** The `run.finished` record that ends `run --json`. */
export function finishedRecord(outcome: RunOutcome): object {
  const { run, exitCode, verdict, totals, stoppedBy } = outcome;
  const { jobs, results, calls, cacheHits } = totals;
  const reasons = reasonWords(outcome.codes);
  return {
    v: 1,
    event: 'run.finished',
    run: run.runId,
    exitCode,
    verdict,
    reasons,
    selection: selectedPart(run.settings, jobs.total),
    passPercent: passPercentage(results),
    jobs,
    results,
    calls,
    cacheHits,
    cost: costRecord(totals),
    plan: planProgress(run, totals),
    stoppedBy: stoppedBy.map(waitingRecord),
  };
}

function reasonWords(codes: readonly number[]): string[] {
  return Object.entries(EXIT).flatMap(([word, code]) => (code !== EXIT.pass && codes.includes(code) ? [word] : []));
}

function verdictWord({ verdict, codes, totals }: RunOutcome): [word: string, colour: Colour] {
  if ([EXIT.interrupted, EXIT.terminated, EXIT.bug].some((code) => codes.includes(code))) return ['INTERRUPTED', 'yellow'];
  if (codes.includes(EXIT.refused)) return ['PAUSED', 'yellow'];
  const { word } = verdictSign(verdict, totals.results);
  return [word, word === 'PASS' ? 'green' : word === 'FAIL' ? 'red' : 'yellow'];
}

function verdictText({ verdict, run, totals }: RunOutcome): string {
  const { results } = totals;
  const { gate } = run.settings;
  const tally = tallyText(results);
  const plan = planProgress(run, totals);
  if (plan !== null) return `${enqueuedText(plan)} enqueued ${unitTally(totals)}`;
  if (verdict === 'fail')
    return `pass rate ${passPercent(results) ?? '?'}, the gate asks for ${sharePercent(gate.minPassRate)} ${unitTally(totals)}`;
  if (verdict === 'pass') return `${counted(results.total, 'result')} (${tally})`;
  if (results.open > 0) return `${results.open} of ${counted(results.total, 'result')} still open (${tally})`;
  const allowed = gate.maxErrorRate === 0 ? '' : `, ${rate(errorRate(results))} where ${rate(gate.maxErrorRate)} is allowed`;
  return `${results.error} of ${counted(results.total, 'result')} could not be evaluated${allowed} (${tally})`;
}

/** `(7 pass, 9 fail)`, with the unit where a number of jobs may stand below it. */
function unitTally({ jobs, results }: RunTotals): string {
  return jobs.total === results.total ? `(${tallyText(results)})` : `(${counted(results.total, 'result')}: ${tallyText(results)})`;
}

function tallyText({ pass, fail, review, error }: ResultCounts): string {
  const parts = [`${pass} pass`, `${fail} fail`, review > 0 ? `${review} to review` : '', error > 0 ? `${error} not evaluated` : ''];
  return parts.filter((part) => part !== '').join(', ');
}

function rate(share: number): string {
  return `${(100 * share).toFixed(1).replace(/\.0$/, '')} %`;
}

function errorLines({ run, causes, totals, bare, askedAgain = [] }: RunOutcome, look: OutcomeLook): string[] {
  return causes.errors.flatMap(({ reason, count, example }) => {
    const { what, next } = advised({ reason, message: example.message });
    const label = cutStart(oneLine(example.label), LONGEST_NAME);
    const again = ANSWERS.has(reason) && askedAgain.includes(reason) && mergeFix(example.task, example.message) === null;
    const detail = `${again ? 'again: ' : ''}${bare === true ? label : `${label}: ${oneLine(what)}`}`;
    const action = again ? otherQuestion(run, look.cwd) : actionFor(reason, { ...example, next }, { run, cwd: look.cwd });
    // A step of its own may be a command: it stands where it can be copied.
    return (next === null ? causeLines : causeAbove)(ofJobs(count, reason, totals), detail, action, look);
  });
}

/** The verdict counts results, the causes jobs: where repeats make these two numbers, both have their unit. */
function ofJobs(count: number, cause: string, { jobs, results }: RunTotals): string {
  return jobs.total === results.total ? `${count}× ${cause}` : `${counted(count, 'job')}: ${cause}`;
}

/** What the model said to it twice it will likely say again. */
function otherQuestion(run: RunHere, cwd: string): string {
  return `change the prompt or the model, then: ${runLine(run, cwd)}`;
}

function actionFor(
  reason: Reason,
  { model, task, message, next }: Pick<CauseExample, 'model' | 'task' | 'message'> & { readonly next: string | null },
  { run, cwd }: { readonly run: RunHere; readonly cwd: string },
): string {
  if (reason.startsWith('document_')) return `${next === null ? 'mend the file' : oneLine(next, LONGEST_STEP)}, then: ${runLine(run, cwd)}`;
  if (reason === 'input_too_long') return `${lengthFix(run.manifest, model, [{ task, message }])}, then: ${runLine(run, cwd)}`;
  const retry = `aieval retry ${run.runId} --reason ${reason}`;
  const fix = mergeFix(task, message);
  if (fix !== null) return `${fix}, then: ${runLine(run, cwd)}; or ask all parts anew: ${retry}`;
  return NEEDS_A_CHANGE.has(reason) ? `mend the cause, then: ${retry}` : retry;
}

function failureLine(outcome: RunOutcome, look: OutcomeLook): string[] {
  const { causes } = outcome;
  const [first] = causes.failedChecks;
  if (first === undefined) return [];
  const checks = causes.failedChecks.map(({ check, count }) => `${oneLine(check)} ${count}`).join(' · ');
  return causeLines(ofJobs(causes.failedJobs, 'fail', outcome.totals), checks, showLine(first.example, outcome), look);
}

function showLine({ jobId }: CauseExample, { run, isLatest = true }: Pick<RunOutcome, 'run' | 'isLatest'>): string {
  return `aieval show ${shortJobId(jobId)}${isLatest ? '' : ` --run ${run.runId}`}`;
}

/** A review is neither passed nor failed: it is no part of the pass rate, and the run may end green. */
function reviewLine(outcome: RunOutcome, look: OutcomeLook): string[] {
  const { bare, causes } = outcome;
  const { reviews } = causes;
  if (reviews === null) return [];
  const { count, example } = reviews;
  const waits = `${count === 1 ? 'waits' : 'wait'} for a person`;
  const detail = bare === true ? waits : `${waits}: ${oneLine(example.message)}`;
  return causeLines(ofJobs(count, 'review', outcome.totals), detail, showLine(example, outcome), look);
}

function openLine(outcome: RunOutcome, look: OutcomeLook): string[] {
  const { run, totals, openNanoUsd, nextCall, nowMs } = outcome;
  const open = totals.jobs.queued + totals.jobs.running;
  if (open === 0 || run.state === 'cancelled') return [];
  const stops = { waiting: stopsOf(outcome), endedBy: endedBy(outcome) };
  const stopped = stopText({ run, totals, ...stops, openNanoUsd, nextCall, nowMs, cwd: look.cwd });
  // What may have been billed has a line of its own.
  if (stopped !== null) return stopLines({ ...stopped, next: stopped.next.filter((step) => step !== settleLine(run)) }, look);
  // What a wait still takes means nothing to a process that stops.
  const waits = allWaitingText(totals.waiting, Number.POSITIVE_INFINITY);
  const action = run.state === 'paused' ? `aieval resume ${run.runId}` : continueLine(run, look.cwd, totals.waiting);
  return causeLines(`${counted(open, 'job')} left`, waits, action, look);
}

/** Who ended a process that the waits of its run had not ended. */
function endedBy({ codes, stoppedBy }: RunOutcome): string | null {
  if (stoppedBy.length > 0) return null;
  if (codes.includes(EXIT.interrupted)) return 'Ctrl-C';
  if (codes.includes(EXIT.terminated)) return 'a signal';
  return codes.includes(EXIT.bug) ? 'an error in aieval' : null;
}

/** Nothing that is in is asked twice: the run takes up the plan where it broke off. */
function planLine({ run, totals, filesHere = true }: RunOutcome, look: OutcomeLook): string[] {
  const plan = planProgress(run, totals);
  if (plan === null) return [];
  const cause = plan.of === null ? 'not all enqueued' : `${counted(plan.of - plan.enqueued, 'job')} not enqueued`;
  const detail = filesHere ? 'the plan broke off' : 'the plan broke off on the machine of its manifest';
  return causeLines(cause, detail, continueLine(run, look.cwd), look);
}

/** A person may have ended the wait for what ends the run otherwise. */
function stopsOf({ run, totals: { waiting }, stoppedBy, nowMs }: RunOutcome): readonly Waiting[] {
  if (stoppedBy.length > 0 || run.state === 'paused') return stoppedBy;
  return waitsInVain(waiting, nowMs, run.settings.retry.maxWaitMs) ? waiting : [];
}

/** The text may take several lines, what to type one whatever its length. */
function stopLines({ text, next }: StopText, look: OutcomeLook): string[] {
  return [...wrapped(`  ${text}`, look.columns, 4), ...next.map((action) => `      ${actionText(action, look)}`)];
}

function cancelledLine({ totals: { jobs } }: RunOutcome): string[] {
  return jobs.cancelled === 0 ? [] : [`  ${counted(jobs.cancelled, 'job')} cancelled`];
}

/** What nobody knows is money, too. */
function uncertainLines({ run, totals: { cost } }: RunOutcome, look: OutcomeLook): string[] {
  if (cost.uncertainCalls === 0) return [];
  const text = `  ${uncertainText(cost)}`;
  const action = actionText(settleLine(run), look);
  const line = `${text}  ${action}`;
  return text.length + 4 + asTyped(settleLine(run), look.lead).length <= look.columns
    ? [line]
    : [...wrapped(text, look.columns, 4), `      ${action}`];
}

/** On one line, or where that would leave no room for the detail, with the action on a line of its own. */
function causeLines(cause: string, detail: string, action: string, look: OutcomeLook): string[] {
  const room = look.columns - CAUSE_COLUMNS - asTyped(action, look.lead).length - 6;
  if (room < Math.min(SHORTEST_DETAIL, columnsOf(detail))) return causeAbove(cause, detail, action, look);
  return [`${causeHead(cause)}${cut(detail, room)}  ${actionText(action, look)}`];
}

function causeAbove(cause: string, detail: string, action: string, look: OutcomeLook): string[] {
  const head = causeHead(cause);
  return [`${head}${cut(detail, look.columns - head.length)}`, `      ${actionText(action, look)}`];
}

function actionText(action: string, { lead, paint }: OutcomeLook): string {
  return paint('cyan', `→ ${asTyped(action, lead)}`);
}

function causeHead(cause: string): string {
  return `  ${pad(cause, CAUSE_COLUMNS - 2)} `;
}
