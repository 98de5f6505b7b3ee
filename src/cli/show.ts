import type { Json } from '../domain/canonical-json.ts';
import type { Completion } from '../domain/completion.ts';
import { UserError } from '../domain/errors.ts';
import { jsonLine } from '../domain/hostile-text.ts';
import type { JobRecord, RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { withStore } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { findJob } from './find-job.ts';
import { findRun } from './find-run.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { callSteps, findStep, hasParts, listed, type NamedStep, speakingStep } from './job-steps.ts';
import type { ShowOptions } from './options.ts';
import { showRecord } from './show-record.ts';
import { attemptLines, showLines } from './show-screen.ts';
import { usableColumns } from './terminal/look.ts';
import { manyLines } from './terminal/many-lines.ts';
import { painter } from './terminal/style.ts';

const OFF_TERMINAL_COLUMNS = 200;

/** `aieval show JOB`: everything about one job, or its prompt, its raw answer or its attempts alone. */
export async function showCommand(io: CliIo, globals: Globals, name: string, options: ShowOptions): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const run = await findRun(store, options.run);
    const { jobId } = await findJob(store, run, name);
    const record = await store.jobRecord(run.runId, jobId);
    if (record === null) throw new Error(`job ${jobId} was listed and is gone`);
    io.stdout.write(`${await textOf(io, globals, { store, run, record, options })}\n`);
    return EXIT.pass;
  });
}

type Shown = { readonly store: Store; readonly run: RunRow; readonly record: JobRecord; readonly options: ShowOptions };

async function textOf(io: CliIo, globals: Globals, { store, run, record, options }: Shown): Promise<string> {
  if (globals.json) return jsonLine(showRecord(run, record));
  const look = { columns: usableColumns(io.stdout, OFF_TERMINAL_COLUMNS), paint: painter(globals.colour.stdout) };
  if (options.attempts === true) return attemptLines(record, look).join('\n');
  if (options.raw !== true && options.prompt !== true && options.step === undefined) return showLines(run, record, look).join('\n');
  const { content, wireBody } = await answerOf(store, run, record, chosenStep(io, globals, { run, record, options }));
  return options.raw === true ? rawText(io, content) : manyLines(promptText(wireBody));
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
  const tokens = chosen === undefined ? tokensOf(record) : tokensOfStep(record, chosen);
  for (const token of tokens) {
    const completion = token === undefined || token === null ? null : await store.response(token);
    if (completion !== null) return completion;
  }
  throw new UserError({
    code: 'E33',
    exitCode: EXIT.usage,
    message: `no answer of ${chosen === undefined ? '' : `${chosen.name} of `}job ${record.job.jobId} is stored, so neither what was sent nor what came is known`,
    next: [`aieval show ${record.job.jobId} --run ${run.runId} --attempts`],
  });
}

function tokensOf({ job, calls, steps }: JobRecord): (string | null | undefined)[] {
  return [job.result?.callToken, ...calls.map((call) => call.callToken).reverse(), ...steps.map((step) => step.callToken)];
}

function tokensOfStep({ calls }: JobRecord, { step }: NamedStep): (string | null)[] {
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
