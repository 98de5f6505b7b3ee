import { oneLine } from '../domain/hostile-text.ts';
import { advised } from '../domain/next-step.ts';
import { lostPagesPhrase, unseenPhrase } from '../report/coverage-phrases.ts';
import { grouped } from '../report/phrases.ts';
import type { AttemptRow, CallRow, JobRecord, JobRow, RunRow } from '../store/rows.ts';
import { rowLabel, shortJobId } from './job-names.ts';
import { callSteps, hasParts, speakingStep } from './job-steps.ts';
import { scoreLines, verdictColour } from './show-evidence.ts';
import { jobPaths } from './show-record.ts';
import { amount, counted, dayAndClock, duration, money } from './terminal/format.ts';
import { manyLines } from './terminal/many-lines.ts';
import type { Paint } from './terminal/style.ts';
import { tableLines } from './terminal/table.ts';

export type ShowLook = { readonly columns: number; readonly paint: Paint };

const LONGEST_TEXT = 400;
const LONGEST_STEP = 1000;
const LONGEST_ANSWER_LINES = 40;

/** `show` for a person: the verdict, each check with its evidence, the answer, what it cost, where the files are. */
export function showLines(run: RunRow, record: JobRecord, look: ShowLook): string[] {
  const { job } = record;
  const paths = jobPaths(run, job);
  return [
    titleLine(run, job, look.paint),
    ` ${factsText(job)}`,
    ...coverageLines(job, look.paint),
    ...errorLines(job, look.paint),
    ...(job.result?.scores ?? []).flatMap((score) => ['', ...scoreLines(score, look.paint)]),
    ...answerLines(job),
    ...(paths === null ? [] : ['', ` Files: ${paths.folder}`]),
    ...nextLines(run, record, look.paint),
  ];
}

function titleLine(run: RunRow, job: JobRow, paint: Paint): string {
  const word = (job.verdict ?? job.state).toUpperCase();
  return `${paint(verdictColour(job.verdict ?? job.state), word)}  ${oneLine(rowLabel(run, job))}   job ${job.jobId}   run ${run.runId}`;
}

function factsText(job: JobRow): string {
  const { usage } = job;
  const input = usage.uncachedInput + usage.cacheRead + usage.cacheWrite;
  const cost = job.calls === 0 ? 'no call' : `${counted(job.calls, 'call')}, ${money(job.costNanoUsd)}`;
  const parts = [
    job.state,
    job.cached ? `from cache${job.origin === null ? '' : ` (first paid in ${job.origin.runId}, ${money(job.origin.costNanoUsd)})`}` : cost,
    counted(job.attempts, 'attempt'),
    `${amount(input)} tokens in, ${amount(usage.output)} out`,
    job.latencyMs === null ? '' : duration(job.latencyMs),
    job.result?.reasked === true ? 'asked again once' : '',
    job.result?.repaired === true ? 'JSON repaired' : '',
    job.endedAtMs === null ? '' : `ended ${dayAndClock(job.endedAtMs)}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** What of the document the answer rests on. */
function coverageLines({ result }: JobRow, paint: Paint): string[] {
  const { coverage } = result ?? {};
  if (coverage === undefined) return [];
  const { characters, of, parts, lostPages } = coverage;
  const inParts = parts > 1 ? ` in ${parts} parts` : '';
  const unseen = unseenPhrase(coverage, oneShort);
  const seen =
    unseen === null
      ? ` Seen by the model: the whole text, ${grouped(of)} characters${inParts}`
      : ` ${paint('yellow', 'Seen by the model:')} ${grouped(characters)} of ${grouped(of)} characters${inParts}: ${unseen}`;
  if (lostPages.length === 0) return [seen];
  return [seen, ` ${paint('yellow', 'Evaluated without')} ${lostPagesPhrase(lostPages, oneShort)}`];
}

function errorLines({ error }: JobRow, paint: Paint): string[] {
  if (error === null) return [];
  const { what, next } = advised(error);
  const step = next === null ? [] : [` ${paint('cyan', 'next:')} ${oneLine(next, LONGEST_STEP)}`];
  return ['', ` ${paint('red', error.reason)}: ${oneLine(what, LONGEST_TEXT)}`, ...step];
}

const oneShort = (text: string): string => oneLine(text, 60);

function answerLines({ result }: JobRow): string[] {
  if (result === null) return [];
  const text = typeof result.answer === 'string' ? result.answer : JSON.stringify(result.answer, null, 2);
  const lines = manyLines(text).split('\n');
  const more = lines.length > LONGEST_ANSWER_LINES ? [`   … ${lines.length - LONGEST_ANSWER_LINES} more lines`] : [];
  return ['', ' Answer:', ...lines.slice(0, LONGEST_ANSWER_LINES).map((line) => `   ${line}`), ...more];
}

function nextLines(run: RunRow, record: JobRecord, paint: Paint): string[] {
  const { job } = record;
  const show = `aieval show ${job.jobId.slice(0, 8)} --run ${run.runId}`;
  const retry =
    job.state === 'failed' && !job.error?.reason.startsWith('document_')
      ? [`aieval retry ${run.runId} --job ${job.jobId.slice(0, 8)}`]
      : [];
  const step = hasParts(record) ? ` --step ${speakingStep(record)?.name ?? ''}` : '';
  const sent = wasAsked(record) ? [`${show} --prompt${step}`, `${show} --raw${step}`] : [];
  const tried = record.attempts.length > 0 ? [`${show} --attempts`] : [];
  const more = [...retry, ...sent, ...tried];
  return more.length === 0 ? [] : ['', ` ${paint('cyan', 'more:')} ${more.join(' · ')}`];
}

/** Whether there may be a prompt and an answer to show. */
function wasAsked({ job, calls, steps }: JobRecord): boolean {
  return calls.length > 0 || steps.some(({ callToken }) => callToken !== null) || (job.result?.callToken ?? null) !== null;
}

/** Every try of the job's steps, and every call with its cost. */
export function attemptLines(record: JobRecord, { columns, paint }: ShowLook): string[] {
  const { steps, attempts, calls } = record;
  const kinds = new Map<number, string>(steps.map(({ stepId, kind }) => [stepId, kind]));
  if (hasParts(record)) for (const { name, step } of callSteps(record)) kinds.set(step.stepId, name);
  const byToken = new Map(calls.map((call) => [call.callToken, call]));
  const head = ['STEP', 'TRY', 'OUTCOME', 'REASON', 'STARTED', 'TOOK', 'CALL', 'COST', 'MESSAGE'].map((title) => ({ title }));
  const rows = attempts.map((attempt) => attemptCells(attempt, kinds.get(attempt.stepId) ?? '?', byToken.get(attempt.callToken ?? '')));
  return [...(rows.length === 0 ? ['No attempt yet.'] : tableLines(head, rows, columns)), ...originLine(record, paint)];
}

/** Of an answer from the cache the calls are those of the job that paid for it. */
function originLine({ job: { cached, origin } }: JobRecord, paint: Paint): string[] {
  if (!cached || origin === null) return [];
  return [`${paint('cyan', 'next:')} aieval show ${shortJobId(origin.jobId)} --run ${origin.runId} --attempts: the calls of the answer`];
}

function attemptCells(attempt: AttemptRow, kind: string, call: CallRow | undefined): string[] {
  const { number, outcome, failure, startedAtMs, endedAtMs } = attempt;
  return [
    kind,
    String(number),
    outcome,
    failure?.reason ?? '',
    dayAndClock(startedAtMs),
    duration(endedAtMs - startedAtMs),
    call?.state ?? '',
    call === undefined ? '' : money(call.costNanoUsd),
    failure?.message ?? '',
  ];
}
