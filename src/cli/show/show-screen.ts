import type { CanonicalText } from '../../domain/document.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { advised } from '../../domain/next-step.ts';
import { lostPagesPhrase, unseenPhrase } from '../../report/coverage-phrases.ts';
import { grouped } from '../../report/phrases.ts';
import type { AttemptRow, CallRow, JobRecord, JobRow, RunRow } from '../../store/rows.ts';
import { rowLabel, shortJobId } from '../jobs/job-names.ts';
import { asTyped, PROGRAM } from '../lead.ts';
import { amount, counted, dayAndClock, duration, money } from '../terminal/format.ts';
import { manyLines } from '../terminal/many-lines.ts';
import type { Paint } from '../terminal/style.ts';
import { tableLines } from '../terminal/table.ts';
import { columnsOf } from '../terminal/width.ts';
import { callSteps, hasParts, speakingStep } from './job-steps.ts';
import { scoreLines, verdictColour } from './show-evidence.ts';
import { partLines } from './show-parts.ts';
import { jobPaths } from './show-record.ts';
import { type OpenRun, waitLines } from './show-waiting.ts';

export type ShowLook = {
  /** Of tables. */
  readonly columns: number;
  readonly paint: Paint;
  /** Where lines will be broken; `null` or absent: nowhere. */
  readonly wrapAt?: number | null;
  /** How the commands in it begin; absent: plainly. */
  readonly lead?: string;
};

/** What is known beside the job's own rows. */
export type ShowMore = {
  readonly open: OpenRun | null;
  /** Where it is of use. */
  readonly content: Pick<CanonicalText, 'pages' | 'text'> | null;
  /** Whether an answer came, of which prompt and text can be shown. */
  readonly hasResponse: boolean;
  /** False where the run's files are on another machine alone; absent: they are here. */
  readonly filesHere?: boolean;
  /** The command that evaluates what was cancelled. */
  readonly rerun?: string;
};

const NOTHING_MORE: ShowMore = { open: null, content: null, hasResponse: false };

const LONGEST_TEXT = 400;
const LONGEST_STEP = 1000;
const LONGEST_ANSWER_LINES = 40;

/** `show` for a person: the verdict, each check with its evidence, the answer, what it cost, where the files are. */
export function showLines(run: RunRow, record: JobRecord, look: ShowLook, more: ShowMore = NOTHING_MORE): string[] {
  const { job } = record;
  const { open, content } = more;
  const paths = jobPaths(run, job);
  return [
    ...titleLines(run, job, look),
    ` ${factsText(job)}`,
    ...waitLines(run, record, open).map((line) => asTyped(line, look.lead ?? PROGRAM)),
    ...cancelledLine(job, more.rerun, look),
    ...oldResultLine(job),
    ...coverageLines(job, look.paint),
    ...errorLines(job, look.paint),
    ...partLines(record, content?.pages ?? [], look.columns),
    ...(job.result?.scores ?? []).flatMap((score) => ['', ...scoreLines(score, look.paint, content?.text)]),
    ...answerLines(job),
    ...(paths === null ? [] : ['', ...filesLines(run, paths.folder, look, more)]),
    ...nextLines(nextCommands(run, record, more), look),
  ];
}

function filesLines({ runId }: RunRow, folder: string, { lead = PROGRAM }: ShowLook, { filesHere = true }: ShowMore): string[] {
  if (filesHere) return [` Files: ${folder}`];
  return [` Files: ${folder} on the machine that started the run; here: ${asTyped(`aieval artifacts pull ${runId}`, lead)}`];
}

/** The verdict once there is one, else the state; who it is where it fits. */
function titleLines(run: RunRow, job: JobRow, { paint, wrapAt = null }: ShowLook): string[] {
  const word = (job.verdict ?? job.state).toUpperCase();
  const name = `${paint(verdictColour(job.verdict ?? job.state), word)}  ${oneLine(rowLabel(run, job))}`;
  const ids = `job ${job.jobId}   run ${run.runId}`;
  const whole = `${name}   ${ids}`;
  return wrapAt === null || columnsOf(whole) <= wrapAt ? [whole] : [name, ` ${ids}`];
}

function cancelledLine({ state }: JobRow, rerun: string | undefined, { paint, lead = PROGRAM }: ShowLook): string[] {
  return state === 'cancelled' && rerun !== undefined ? [` ${paint('cyan', 'next:')} ${asTyped(rerun, lead)}`] : [];
}

/** A job that is asked afresh keeps its old result until the new one is there. */
function oldResultLine({ verdict, result }: JobRow): string[] {
  return verdict === null && result !== null ? [' Asked afresh: what stands below is the old result, which counts no more.'] : [];
}

/** What became of the question; that an answer came says nothing of its verdict. */
const STATE_WORDS: { readonly [State in JobRow['state']]: string } = {
  queued: 'queued',
  running: 'running',
  succeeded: 'answered',
  failed: 'not evaluated',
  cancelled: 'cancelled',
};

function factsText(job: JobRow): string {
  const { usage } = job;
  const input = usage.uncachedInput + usage.cacheRead + usage.cacheWrite;
  const cost =
    job.calls === 0 ? 'no call' : `${counted(job.calls, 'call')}, ${job.costNanoUsd === null ? 'price unknown' : money(job.costNanoUsd)}`;
  const parts = [
    `state ${STATE_WORDS[job.state]}`,
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

/** Commands that show more, in a line where they fit. */
function nextLines(given: readonly string[], { paint, wrapAt = null, lead = PROGRAM }: ShowLook): string[] {
  if (given.length === 0) return [];
  const commands = given.map((command) => asTyped(command, lead));
  const inLine = ` more: ${commands.join(' · ')}`;
  if (wrapAt === null || inLine.length <= wrapAt) return ['', inLine.replace('more:', paint('cyan', 'more:'))];
  return ['', ` ${paint('cyan', 'more:')}`, ...commands.map((command) => `   ${command}`)];
}

function nextCommands(run: RunRow, record: JobRecord, { hasResponse }: ShowMore): string[] {
  const { job } = record;
  const show = `aieval show ${shortJobId(job.jobId)} --run ${run.runId}`;
  const isMendable = job.state === 'failed' && !job.error?.reason.startsWith('document_');
  const step = hasParts(record) ? ` --step ${speakingStep(record)?.name ?? ''}` : '';
  const isCited = (job.result?.scores ?? []).some(({ findings }) => findings.length > 0);
  return [
    ...(isMendable ? [`aieval retry ${run.runId} --job ${shortJobId(job.jobId)}`] : []),
    ...(isCited ? [`${show} --doc`] : []),
    ...(hasResponse ? [`${show} --prompt${step}`, `${show} --raw${step}`] : []),
    ...(record.attempts.length > 0 ? [`${show} --attempts`] : []),
  ];
}

/** Every try of the job's steps, and every call with its cost. */
export function attemptLines(record: JobRecord, look: ShowLook): string[] {
  const { steps, attempts, calls } = record;
  const kinds = new Map<number, string>(steps.map(({ stepId, kind }) => [stepId, kind]));
  if (hasParts(record)) for (const { name, step } of callSteps(record)) kinds.set(step.stepId, name);
  const byToken = new Map(calls.map((call) => [call.callToken, call]));
  const head = ['STEP', 'TRY', 'OUTCOME', 'REASON', 'STARTED', 'TOOK', 'CALL', 'COST'].map((title) => ({ title }));
  const rows = attempts.map((attempt) => attemptCells(attempt, kinds.get(attempt.stepId) ?? '?', byToken.get(attempt.callToken ?? '')));
  const messages = attempts.flatMap(({ stepId, number, failure }) =>
    failure === null ? [] : [` ${kinds.get(stepId) ?? '?'} try ${number}: ${oneLine(failure.message, LONGEST_TEXT)}`],
  );
  return [
    ...(rows.length === 0 ? ['No attempt yet.'] : tableLines(head, rows, look.columns)),
    ...(messages.length === 0 ? [] : ['', ...messages]),
    ...originLine(record, look),
  ];
}

/** Of an answer from the cache the calls are those of the job that paid for it. */
function originLine({ job: { cached, origin } }: JobRecord, { paint, lead = PROGRAM }: ShowLook): string[] {
  if (!cached || origin === null) return [];
  const next = asTyped(`aieval show ${shortJobId(origin.jobId)} --run ${origin.runId} --attempts`, lead);
  return [`${paint('cyan', 'next:')} ${next}: the calls of the answer`];
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
  ];
}
