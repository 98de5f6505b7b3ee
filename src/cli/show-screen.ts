import type { Position } from '../domain/document.ts';
import { oneLine } from '../domain/hostile-text.ts';
import type { Finding, Score } from '../domain/score.ts';
import type { AttemptRow, CallRow, JobRecord, JobRow, RunRow } from '../store/rows.ts';
import { rowLabel } from './job-names.ts';
import { jobPaths } from './show-record.ts';
import { amount, counted, dayAndClock, duration, money } from './terminal/format.ts';
import { manyLines } from './terminal/many-lines.ts';
import type { Colour, Paint } from './terminal/style.ts';
import { tableLines } from './terminal/table.ts';

export type ShowLook = { readonly columns: number; readonly paint: Paint };

const LONGEST_TEXT = 400;
const LONGEST_ANSWER_LINES = 40;

/** `show` for a person: the verdict, each check with its evidence, the answer, what it cost, where the files are. */
export function showLines(run: RunRow, record: JobRecord, look: ShowLook): string[] {
  const { job } = record;
  const paths = jobPaths(run, job);
  return [
    titleLine(run, job, look.paint),
    ` ${factsText(job)}`,
    ...(job.error === null ? [] : ['', ` ${look.paint('red', job.error.reason)}: ${oneLine(job.error.message, LONGEST_TEXT)}`]),
    ...(job.result?.scores ?? []).flatMap((score) => ['', ...scoreLines(score, look.paint)]),
    ...answerLines(job),
    ...(paths === null ? [] : ['', ` Files: ${paths.folder}`]),
    ...nextLines(run, record, look.paint),
  ];
}

function titleLine(run: RunRow, job: JobRow, paint: Paint): string {
  const word = (job.verdict ?? job.state).toUpperCase();
  return `${paint(colourOf(job.verdict ?? job.state), word)}  ${oneLine(rowLabel(run, job))}   job ${job.jobId}   run ${run.runId}`;
}

function colourOf(word: string): Colour {
  return word === 'pass' ? 'green' : word === 'fail' || word === 'error' ? 'red' : 'yellow';
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

function scoreLines(score: Score, paint: Paint): string[] {
  const severity = score.severity === 'warn' ? ' (warn)' : '';
  const named = oneLine(score.check) === score.type ? score.type : `${oneLine(score.check)} (${score.type})`;
  const explanation = score.explanation === '' ? '' : `  ${oneLine(score.explanation, LONGEST_TEXT)}`;
  const head = ` ${paint(colourOf(score.verdict), score.verdict.toUpperCase().padEnd(6))} ${named}${severity}${explanation}`;
  return [head, ...score.findings.flatMap((finding) => findingLines(finding, paint))];
}

function findingLines({ at, quote, evidence, pageClaimed, pageCorrected }: Finding, paint: Paint): string[] {
  const word = evidence.reason ?? evidence.tier ?? evidence.status;
  const colour: Colour = evidence.status === 'verified' ? 'green' : evidence.status === 'rejected' ? 'red' : 'yellow';
  const place = evidence.position === null ? '' : `  ${placeText(evidence.position)}`;
  const times = evidence.occurrences > 1 ? `  (${evidence.occurrences} places)` : '';
  const page = pageCorrected ? `  (the answer said page ${pageClaimed})` : '';
  const diff = evidence.diff === null ? [] : [`            document: ${oneLine(evidence.diff, LONGEST_TEXT)}`];
  return [
    `   ${paint(colour, `${evidence.status}`)} ${word === evidence.status ? '' : `${word} `}${oneLine(at)}${place}${times}${page}`,
    `            "${oneLine(quote, LONGEST_TEXT)}"`,
    ...diff,
  ];
}

function placeText({ page, pageLabel, section, line }: Position): string {
  const parts = [
    page === null ? '' : `page ${page}${pageLabel === null || pageLabel === String(page) ? '' : ` (${oneLine(pageLabel, 20)})`}`,
    section === null ? '' : `§ ${oneLine(section, 60)}`,
    `line ${line}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function answerLines({ result }: JobRow): string[] {
  if (result === null) return [];
  const text = typeof result.answer === 'string' ? result.answer : JSON.stringify(result.answer, null, 2);
  const lines = manyLines(text).split('\n');
  const more = lines.length > LONGEST_ANSWER_LINES ? [`   … ${lines.length - LONGEST_ANSWER_LINES} more lines`] : [];
  return ['', ' Answer:', ...lines.slice(0, LONGEST_ANSWER_LINES).map((line) => `   ${line}`), ...more];
}

function nextLines(run: RunRow, { job }: JobRecord, paint: Paint): string[] {
  const show = `aieval show ${job.jobId.slice(0, 8)} --run ${run.runId}`;
  const retry =
    job.state === 'failed' && !job.error?.reason.startsWith('document_')
      ? [`aieval retry ${run.runId} --job ${job.jobId.slice(0, 8)}`]
      : [];
  return ['', ` ${paint('cyan', 'more:')} ${[...retry, `${show} --prompt`, `${show} --raw`, `${show} --attempts`].join(' · ')}`];
}

/** Every try of the job's steps, and every call with its cost. */
export function attemptLines({ steps, attempts, calls }: JobRecord, { columns }: ShowLook): string[] {
  const kinds = new Map(steps.map((step) => [step.stepId, `${step.kind}${step.index > 0 ? ` ${step.index}` : ''}`]));
  const byToken = new Map(calls.map((call) => [call.callToken, call]));
  const head = ['STEP', 'TRY', 'OUTCOME', 'REASON', 'STARTED', 'TOOK', 'CALL', 'COST', 'MESSAGE'].map((title) => ({ title }));
  const rows = attempts.map((attempt) => attemptCells(attempt, kinds.get(attempt.stepId) ?? '?', byToken.get(attempt.callToken ?? '')));
  return rows.length === 0 ? ['No attempt yet.'] : tableLines(head, rows, columns);
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
