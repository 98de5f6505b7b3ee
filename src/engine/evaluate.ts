import type { Completion } from '../domain/completion.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedProvider, ResolvedTask } from '../domain/manifest/resolved.ts';
import type { StepInput } from '../domain/part.ts';
import type { Failure } from '../domain/reason.ts';
import type { EndedCall, OnWork } from '../domain/work-news.ts';
import { answerFailure } from '../providers/classify-answer.ts';
import type { Provider } from '../providers/provider.ts';
import type { Store } from '../store/store.ts';
import type { CallOutcome, CallWork, Claim, ReaskInput, StepOutcome } from '../store/work.ts';
import { type CallEnd, type CallTarget, makeCall, type StopSignals, settledCall } from './call.ts';
import type { CallWatch } from './call-watch.ts';
import type { OnEvent } from './events.ts';
import { finish } from './finish.ts';
import { inputFailure, type SentInput } from './input-check.ts';
import { type Pool, PoolTimeout } from './pool.ts';
import { renderMessages } from './prompt.ts';
import { reaskFailure } from './reask-failure.ts';
import { reduceOutput } from './reduce-output.ts';
import { workedStep } from './worked-step.ts';

export type EvaluateDependencies = {
  readonly manifest: ResolvedManifest;
  readonly store: Store;
  readonly pool: Pool;
  /** The provider of this id, made on first use. */
  readonly provider: (id: string) => Promise<Provider>;
  /** The text stored at plan time. */
  readonly text: (documentId: string) => Promise<CanonicalText>;
  readonly signals: StopSignals;
  /** Says which call a person wants ended. */
  readonly calls: Pick<CallWatch, 'begin' | 'end'>;
  readonly onEvent: OnEvent;
  /** Hears of the work itself: see there. */
  readonly onWork?: OnWork | undefined;
  readonly workerId: string;
  readonly now: () => number;
};

/** Does the work of one claim and says what came of it; `null` when the lease was lost before anything was sent. */
export async function evaluate(claim: Claim, deps: EvaluateDependencies): Promise<StepOutcome | null> {
  const { work } = claim;
  const { task, model } = assignment(claim, deps.manifest);
  const document = await deps.text(claim.job.documentId);
  const { manifest } = deps;
  if (work.kind === 'finish') {
    const { store, pool } = deps;
    return finish({ claim, answers: work.answers, manifest, task, model, document, store, pool });
  }
  const providerType = providerOf(model, manifest).type;
  const asked: Asked = { ...work, manifest, task, model, documentId: claim.job.documentId, document, providerType };
  if (work.kind === 'judge') {
    const answer = { callToken: work.callToken, completion: work.completion, call: settledCall(work.completion, work.rate) };
    return judgeAnswer(asked, answer, deps.pool);
  }
  const target = {
    task,
    model,
    document,
    provider: await deps.provider(model.provider),
    baseUrl: providerOf(model, manifest).baseUrl,
  };
  const end = await watchedCall(claim, work, target, deps);
  if (end.kind === 'lost') return null;
  if (end.kind === 'outcome') return end.outcome;
  return judgeAnswer(asked, { callToken: claim.token, completion: end.completion, call: end.call }, deps.pool);
}

function providerOf(model: ResolvedModel, { providers }: ResolvedManifest): ResolvedProvider {
  const provider = providers[model.provider];
  if (provider === undefined) throw new Error(`model ${model.id} names provider ${model.provider}, which is not there`);
  return provider;
}

async function watchedCall(claim: Claim, work: CallWork, target: CallTarget, deps: EvaluateDependencies): Promise<CallEnd> {
  const cancel = deps.calls.begin(claim.token);
  try {
    const { store, onEvent, onWork, now } = deps;
    const step = workedStep(claim, deps.manifest, deps.workerId);
    const onCall = (call: EndedCall): void => onWork?.({ kind: 'call.ended', step, atMs: now(), call });
    return await makeCall({ claim, work }, target, { store, signals: { ...deps.signals, cancel }, onEvent, now, onCall });
  } finally {
    deps.calls.end(claim.token);
  }
}

function assignment(claim: Claim, manifest: ResolvedManifest): { task: ResolvedTask; model: ResolvedModel } {
  const task = manifest.tasks[claim.job.task];
  const model = manifest.models[claim.job.model];
  if (task === undefined || model === undefined) throw new Error(`job ${claim.job.jobId} is not of this run's manifest`);
  return { task, model };
}

type StoredAnswer = { readonly callToken: string; readonly completion: Completion; readonly call: CallOutcome };
type Asked = {
  readonly stepKind: string;
  readonly reask: ReaskInput | null;
  readonly input: StepInput | null;
  readonly inputTokens: number;
  readonly manifest: ResolvedManifest;
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly documentId: string;
  readonly document: CanonicalText;
  readonly providerType: ResolvedProvider['type'];
};

/** Whether a stored answer may stand: to the whole prompt, complete, not refused, and valid against the schema that was asked for. */
async function judgeAnswer(asked: Asked, answer: StoredAnswer, pool: Pool): Promise<StepOutcome> {
  const { callToken, completion, call } = answer;
  const { task, input } = asked;
  const failure = inputFailure(completion, sentInput(asked, completion)) ?? answerFailure(completion);
  if (failure !== null) return { kind: 'failed', callToken, failure, call };
  const { format, schema } = input?.kind === 'prompt' ? reduceOutput(task) : task.output;
  const form = format === 'text' ? { format } : { format, schema };
  const parsed = await settleTimeout(pool.parse({ content: completion.content, form, finishReason: completion.finishReason }));
  // The schema's pattern is at fault, not the answer: nothing may be remembered against it.
  if (parsed instanceof PoolTimeout) return { kind: 'failed', callToken, failure: checkError('the validation', parsed), call };
  if (parsed.ok) return { kind: 'answered', callToken, answer: parsed.answer, repaired: parsed.repaired, call };
  const invalid = invalidAnswer(parsed.errors, completion);
  if (parsed.empty) return { kind: 'failed', callToken, failure: { ...invalid, reason: 'empty_answer' }, call };
  if (asked.stepKind === 'reask' || task.output.reask === 0) return { kind: 'failed', callToken, failure: invalid, call };
  const reask = { answer: completion.content, errors: parsed.errors };
  const unfit = reaskFailure(invalid, { ...asked, reask });
  if (unfit !== null) return { kind: 'failed', callToken, failure: unfit, call };
  return { kind: 'superseded', callToken, reask, failure: invalid, call };
}

function sentInput({ task, documentId, document, reask, input, inputTokens, providerType }: Asked, { mode }: Completion): SentInput {
  const messages = renderMessages({ task, document: { documentId, content: document }, mode: mode ?? 'prompt', reask, input });
  return { inputTokens, providerType, characters: messages.reduce((sum, { content }) => sum + content.length, 0) };
}

const PARTIAL_CHARACTERS = 4096;

function invalidAnswer(errors: readonly string[], completion: Completion): Failure {
  return {
    class: 'quality',
    reason: 'invalid_answer',
    message: errors.join('; '),
    partial: completion.content.slice(0, PARTIAL_CHARACTERS),
    ...(completion.requestId === null ? {} : { requestId: completion.requestId }),
  };
}

function checkError(what: string, { message }: PoolTimeout): Failure {
  return { class: 'permanent', reason: 'check_error', message: `${what}: ${message}` };
}

async function settleTimeout<Value>(work: Promise<Value>): Promise<Value | PoolTimeout> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PoolTimeout) return error;
    throw error;
  }
}
