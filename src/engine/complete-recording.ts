import type { Completion, OutputForm } from '../domain/completion.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import type { StepInput } from '../domain/part.ts';
import type { Failure } from '../domain/reason.ts';
import { type CassetteSink, recordedAnswer } from '../providers/recording.ts';
import { isObject, type JsonObject, wireBody, withDefaultLimitName } from '../providers/wire-body.ts';
import type { CallRow, JobRecord, RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { lesserMode, outputForm } from './call.ts';
import { firstQuestions } from './first-questions.ts';
import { reduceForm, renderMessages } from './prompt.ts';

const PAGE = 200;

/**
 * Adds to a recording what this process did not ask itself: answers served from the cache, or paid for by another process of the
 * run, also an earlier one. Returns how many ended jobs a replay could not answer all the same, as their calls are not stored.
 */
export async function completeRecording(store: Store, run: RunRow, sink: CassetteSink): Promise<{ readonly missing: number }> {
  let missing = 0;
  for (let after = -1; ; ) {
    const rows = await store.jobRows(run.runId, { after, limit: PAGE });
    for (const { jobId, state } of rows) {
      if (state !== 'succeeded' && state !== 'failed') continue;
      const record = await store.jobRecord(run.runId, jobId);
      // A job without steps was never to be asked.
      if (record === null || record.steps.length === 0) continue;
      if (!(await completeJob({ store, run, sink }, record))) missing += 1;
    }
    const last = rows.at(-1);
    if (last === undefined) return { missing };
    after = last.seq;
  }
}

type Recording = { readonly store: Store; readonly run: RunRow; readonly sink: CassetteSink };

/** Whether the recording has now what a replay of this job asks first. */
async function completeJob({ store, run, sink }: Recording, record: JobRecord): Promise<boolean> {
  const { documentId, task: taskId, model: modelId, repeat } = record.job;
  const task = run.manifest.tasks[taskId];
  const model = run.manifest.models[modelId];
  const content = await store.canonicalText(run.runId, documentId);
  if (task === undefined || model === undefined || content === null) return false;
  const stored = await storedCompletions(store, record);
  const bodies = [...stored.values()].map((completion) => ({ completion, body: bodyOf(completion, model) }));
  for (const { completion, body } of bodies.filter((each) => !sink.has(each.body, repeat))) {
    sink.add(body, { repeat, answer: recordedAnswer(completion) });
  }
  return firstQuestions(record, stored)
    .map(({ input, answered }) => {
      const asked = input?.kind === 'prompt' ? reduceForm(task) : task;
      const first = outputForm(asked, model, null);
      const ask = (output: OutputForm): JsonObject => firstBody({ task, model, documentId, content, output, input });
      for (const form of skippedForms(first, answered)) {
        if (!sink.has(ask(form), repeat)) sink.add(ask(form), { repeat, failure: REFUSED_BEFORE, sent: false });
      }
      return sink.has(ask(first), repeat);
    })
    .every((isRecorded) => isRecorded);
}

/** By call token. */
type StoredCompletions = ReadonlyMap<string, Completion>;

/** In the order of the calls; also those of the jobs that paid for its answers, which may have had to ask again. */
async function storedCompletions(store: Store, record: JobRecord): Promise<StoredCompletions> {
  const calls = [...(await callsOfPayers(store, record)), ...record.calls].sort((a, b) => (a.sentAtMs ?? 0) - (b.sentAtMs ?? 0));
  const tokens = new Set(calls.map(({ callToken }) => callToken));
  for (const { callToken } of record.steps) if (callToken !== null) tokens.add(callToken);
  const completions = await Promise.all([...tokens].map(async (token) => [token, await store.response(token)] as const));
  return new Map(completions.flatMap(([token, completion]) => (completion === null ? [] : [[token, completion] as const])));
}

/** What other jobs asked of the keys of this one. */
async function callsOfPayers(store: Store, { steps }: JobRecord): Promise<readonly CallRow[]> {
  const keys = new Set(steps.map(({ key }) => key));
  const payers = new Map(steps.flatMap(({ paidBy }) => (paidBy === null ? [] : [[`${paidBy.runId} ${paidBy.jobId}`, paidBy] as const])));
  const records = await Promise.all([...payers.values()].map(({ runId, jobId }) => store.jobRecord(runId, jobId)));
  return records.flatMap((payer) => {
    if (payer === null) return [];
    const asked = new Set(payer.steps.flatMap(({ stepId, key }) => (keys.has(key) ? [stepId] : [])));
    return payer.calls.filter(({ stepId }) => asked.has(stepId));
  });
}

function bodyOf({ wireBody: body }: Completion, { params }: ResolvedModel): JsonObject {
  if (!isObject(body)) throw new Error('a stored request body is no object');
  return withDefaultLimitName(body, params);
}

/** A server that refused a form is not asked for it again, by any job; a replay starts with every job anew. */
const REFUSED_BEFORE: Failure = {
  class: 'capability',
  reason: 'unsupported',
  message: 'not asked in this form: the server had refused it before',
};

/** The forms that come before the one in which the answer was given. */
function skippedForms(first: OutputForm, answered: Completion | undefined): OutputForm[] {
  if (first.format === 'text' || answered === undefined || answered.mode === first.mode) return [];
  const mode = lesserMode(first);
  return mode === null ? [] : [first, ...skippedForms({ ...first, mode }, answered)];
}

type FirstQuestion = {
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly documentId: string;
  readonly content: CanonicalText;
  readonly output: OutputForm;
  readonly input: StepInput | null;
};

function firstBody({ task, model, documentId, content, output, input }: FirstQuestion): JsonObject {
  const mode = output.format === 'json' ? output.mode : 'prompt';
  const messages = renderMessages({ task, document: { documentId, content }, mode, reask: null, input });
  return wireBody({ model: model.model, messages, params: model.params, output });
}
