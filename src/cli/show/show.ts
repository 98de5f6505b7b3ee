import type { Json } from '../../domain/canonical-json.ts';
import type { Completion } from '../../domain/completion.ts';
import { UserError } from '../../domain/errors.ts';
import { jsonLine, oneLine } from '../../domain/hostile-text.ts';
import { grouped } from '../../report/phrases.ts';
import type { JobRecord, RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { ShowOptions } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findJob } from '../jobs/find-job.ts';
import { findRun } from '../jobs/find-run.ts';
import { rowLabel, shortJobId } from '../jobs/job-names.ts';
import { folderHere } from '../run/run-folder.ts';
import { runHere } from '../run/run-here.ts';
import { runLine } from '../run/run-line.ts';
import { takeSnapshot } from '../status/snapshot.ts';
import { hanging } from '../terminal/hanging.ts';
import { usableColumns } from '../terminal/look.ts';
import { manyLines } from '../terminal/many-lines.ts';
import { painter } from '../terminal/style.ts';
import { callSteps, findStep, hasParts, listed, type NamedStep, speakingStep } from './job-steps.ts';
import { docLines } from './show-doc.ts';
import { attemptsRecord, docRecord, promptRecord, rawRecord } from './show-json.ts';
import { showRecord } from './show-record.ts';
import { attemptLines, type ShowLook, showLines } from './show-screen.ts';
import { openRunOf } from './show-waiting.ts';

const OFF_TERMINAL_COLUMNS = 200;

/** `aieval show JOB`: everything about one job, or its prompt, its raw answer, its attempts or its document alone. */
export async function showCommand(io: CliIo, globals: Globals, name: string, options: ShowOptions): Promise<number> {
  return await withStore(io, globals, async (store, place) => {
    const found = await findRun(store, options.run);
    const folder = folderHere(store, found, place);
    const run = folder === null ? found : { ...found, outDir: folder };
    const { jobId } = await findJob(store, run, name);
    const record = await store.jobRecord(run.runId, jobId);
    if (record === null) throw new Error(`job ${jobId} was listed and is gone`);
    io.stdout.write(`${await textOf(io, globals, { store, found, run, record, options, filesHere: folder !== null })}\n`);
    return EXIT.pass;
  });
}

type Shown = {
  readonly store: Store;
  /** As it is stored. */
  readonly found: RunRow;
  /** Its folder is that on this machine, where there is one. */
  readonly run: RunRow;
  readonly filesHere: boolean;
  readonly record: JobRecord;
  readonly options: ShowOptions;
};

type Look = ShowLook & { readonly wrapAt: number | null };

/** What is asked for, as one text: JSON with `--json`. */
async function textOf(io: CliIo, globals: Globals, shown: Shown): Promise<string> {
  const { run, record, options, filesHere } = shown;
  const look = lookOf(io, globals);
  if (options.doc === true) return await docText(globals, shown, look);
  if (options.attempts === true)
    return globals.json ? jsonLine(attemptsRecord(run, record)) : wrappedText(attemptLines(record, look), look);
  if (options.raw !== true && options.prompt !== true && options.step === undefined) {
    return globals.json ? jsonLine(showRecord(run, record, filesHere)) : await screenText(io, shown, look);
  }
  return await callText(io, globals, shown);
}

function lookOf({ stdout, notes: { lead } }: CliIo, { colour }: Globals): Look {
  const paint = painter(colour.stdout);
  // A pipe gets each line whole, so that words are found in it.
  return {
    columns: usableColumns(stdout, OFF_TERMINAL_COLUMNS),
    paint,
    wrapAt: stdout.isTTY === true ? usableColumns(stdout, 80) : null,
    lead,
  };
}

async function screenText(io: CliIo, { store, found, run, record, filesHere }: Shown, look: Look): Promise<string> {
  const isOpen = record.job.state === 'queued';
  const snapshot = isOpen ? await takeSnapshot(store, run.runId, io.now()) : null;
  const open = snapshot && openRunOf(snapshot, io.cwd);
  const content = hasParts(record) || hasBoundary(record) ? await store.canonicalText(run.runId, record.job.documentId) : null;
  const hasResponse = (await responseOf(store, tokensToShow(record))) !== null;
  const rerun = runLine(runHere(found, { store }), io.cwd);
  const lines = showLines(run, record, look, { open, content, hasResponse, filesHere, rerun });
  return wrappedText(lines, look);
}

/** Whether a quote ends where the document's own text shows what was cut. */
function hasBoundary({ job }: JobRecord): boolean {
  const findings = (job.result?.scores ?? []).flatMap((score) => score.findings);
  return findings.some(({ evidence }) => evidence.marks?.includes('boundary') === true);
}

/** The calls that `--prompt` and `--raw` look at when no step is named. */
function tokensToShow(record: JobRecord): Tokens {
  const step = hasParts(record) ? speakingStep(record) : undefined;
  return step === undefined ? tokensOf(record) : tokensOfStep(record, step);
}

function wrappedText(lines: readonly string[], { wrapAt }: Look): string {
  return (wrapAt === null ? lines : hanging(lines, wrapAt)).join('\n');
}

async function docText({ json, colour }: Globals, { store, run, record }: Shown, { wrapAt }: Look): Promise<string> {
  const { documentId } = record.job;
  const content = await store.canonicalText(run.runId, documentId);
  if (content === null) throw noText(run, record);
  if (json) return jsonLine(docRecord(run, record, content));
  const look = { columns: wrapAt ?? Number.POSITIVE_INFINITY, colour: colour.stdout };
  const head = hanging([`${oneLine(rowLabel(run, record.job))}   ${grouped(content.text.length)} characters`], look.columns);
  return [...head, ...docLines(content, record.job.result?.scores ?? [], look)].join('\n');
}

function noText(run: RunRow, { job }: JobRecord): UserError {
  const message = `no text of ${oneLine(job.documentId)} is stored${job.error === null ? '' : `: ${job.error.reason}`}`;
  const next = [`aieval show ${shortJobId(job.jobId)} --run ${run.runId}`];
  return new UserError({ code: 'E33', exitCode: EXIT.usage, message, next });
}

/** The prompt or the answer of one call. */
async function callText(io: CliIo, globals: Globals, shown: Shown): Promise<string> {
  const { store, run, record, options } = shown;
  const step = chosenStep(io, globals, shown);
  const completion = await answerOf(store, run, record, step);
  const name = step?.name ?? null;
  if (options.raw === true) return globals.json ? jsonLine(rawRecord(run, record, name, completion)) : rawText(io, completion.content);
  return globals.json ? jsonLine(promptRecord(run, record, name, completion)) : manyLines(promptText(completion.wireBody));
}

/** The step that was named; of a job with parts the one that speaks for it, which is said, because there are others. */
function chosenStep(io: CliIo, { quiet }: Globals, { run, record, options }: Omit<Shown, 'store'>): NamedStep | undefined {
  if (options.step !== undefined) return findStep(run, record, options.step);
  if (!hasParts(record)) return undefined;
  const step = speakingStep(record);
  if (!quiet && step !== undefined) io.stderr.write(`note: this is ${step.name}${othersText(step, record)}\n`);
  return step;
}

function othersText({ name: own }: NamedStep, record: JobRecord): string {
  const others = callSteps(record).flatMap(({ name }) => (name === own ? [] : [name]));
  return others.length === 0 ? '' : `; --step names another: ${listed(others)}`;
}

/** A pipe gets the very characters, which is what `--raw` is for; a terminal must not be commanded by them. */
function rawText({ stdout }: CliIo, content: string): string {
  return stdout.isTTY === true ? manyLines(content) : content;
}

/** The response of a step; without one that which gave the answer, else the last one that came. */
async function answerOf(store: Store, run: RunRow, record: JobRecord, chosen: NamedStep | undefined): Promise<Completion> {
  const completion = await responseOf(store, chosen === undefined ? tokensOf(record) : tokensOfStep(record, chosen));
  if (completion !== null) return completion;
  throw new UserError({
    code: 'E33',
    exitCode: EXIT.usage,
    message: `no answer of ${chosen === undefined ? '' : `${chosen.name} of `}job ${record.job.jobId} is stored, so neither what was sent nor what came is known`,
    next: [`aieval show ${record.job.jobId} --run ${run.runId} --attempts`],
  });
}

type Tokens = readonly (string | null | undefined)[];

/** The first that is stored. */
async function responseOf(store: Pick<Store, 'response'>, tokens: Tokens): Promise<Completion | null> {
  for (const token of tokens) {
    const completion = token === undefined || token === null ? null : await store.response(token);
    if (completion !== null) return completion;
  }
  return null;
}

function tokensOf({ job, calls, steps }: JobRecord): Tokens {
  return [job.result?.callToken, ...calls.map((call) => call.callToken).reverse(), ...steps.map((step) => step.callToken)];
}

function tokensOfStep({ calls }: JobRecord, { step }: NamedStep): Tokens {
  const own = calls.filter(({ stepId }) => stepId === step.stepId).map(({ callToken }) => callToken);
  return [step.callToken, ...own.reverse()];
}

/** The messages of a request as text, each under its role; a body of any other form as JSON. */
function promptText(wireBody: Json): string {
  const messages = field(wireBody, 'messages');
  if (!Array.isArray(messages)) return JSON.stringify(wireBody, null, 2);
  return messages.map((message: Json) => `── ${textField(message, 'role')} ──\n${textField(message, 'content')}`).join('\n\n');
}

function textField(value: Json, name: string): string {
  const content = field(value, name);
  return typeof content === 'string' ? content : JSON.stringify(content ?? null);
}

function field(value: Json, name: string): Json | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
