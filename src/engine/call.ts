import { callCost } from '../domain/call-cost.ts';
import type { Completion, CompletionRequest, OutputForm, StructuredMode } from '../domain/completion.ts';
import type { CanonicalText } from '../domain/document.ts';
import { ProviderError } from '../domain/errors.ts';
import type { ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import type { ModelRate } from '../domain/money.ts';
import type { Failure } from '../domain/reason.ts';
import type { EndedCall } from '../domain/work-news.ts';
import type { Provider } from '../providers/provider.ts';
import type { Store } from '../store/store.ts';
import type { CallOutcome, CallWork, Claim, StepOutcome } from '../store/work.ts';
import { CallNotes } from './call-notes.ts';
import { callTimeouts } from './call-timeouts.ts';
import type { OnEvent } from './events.ts';
import { reduceForm, renderMessages } from './prompt.ts';
import { answeredCall, failedCall as failedNews } from './worked-step.ts';

export type CallTarget = {
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly document: CanonicalText;
  readonly provider: Provider;
  /** Where it listens, for those who trace. */
  readonly baseUrl?: string | null;
};

/** Ends all calls of the process early: `stop` before they are sent, `now` at any time. */
export type StopSignals = { readonly stop: AbortSignal; readonly now: AbortSignal };

/** `cancel` ends this call alone, at any time: a person cancelled its job. */
type CallSignals = StopSignals & { readonly cancel: AbortSignal };

export type CallEnd =
  | { readonly kind: 'completed'; readonly completion: Completion; readonly call: CallOutcome }
  | { readonly kind: 'outcome'; readonly outcome: StepOutcome }
  /** The lease was lost before the request left: nothing to settle. */
  | { readonly kind: 'lost' };

/**
 * Makes the one call that a claim pays for. The order is the promise: the call is durably `sent` before a byte leaves, and the
 * answer is durably stored before anyone looks into it.
 */
export async function makeCall(
  { claim, work }: { readonly claim: Claim; readonly work: CallWork },
  target: CallTarget,
  { store, signals, onEvent, now, onCall }: CallTools,
): Promise<CallEnd> {
  const request = requestOf(claim, work, target);
  if (signals.stop.aborted || signals.cancel.aborted) return { kind: 'outcome', outcome: { kind: 'handed_back' } };
  if (!(await mayLeave(store, claim.token))) return { kind: 'lost' };
  const end = endSignal(claim.deadlineAtMs - claim.claimedAtMs, signals);
  const notes = new CallNotes({ now, onFirstToken: work.warms ? () => store.noteFirstToken(claim.token) : null });
  const begun = { startedAtMs: now(), model: target.model, baseUrl: target.baseUrl ?? null };
  try {
    const completion = await target.provider.complete(request, end.signal, notes);
    await store.recordResponse(claim.token, completion);
    const call = { ...settledCall(completion, work.rate), ...notes.rates };
    onCall?.(answeredCall(begun, completion, call));
    return { kind: 'completed', completion, call };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const outcome = failedCall({ callToken: claim.token, output: request.output, notes }, error, end.cause());
    onCall?.(failedNews(begun, outcome.failure, outcome.call, now()));
    return { kind: 'outcome', outcome };
  } finally {
    end.clear();
    await notes.done((message) => onEvent({ kind: 'warning', message }));
  }
}

type CallStore = Pick<Store, 'markSent' | 'recordResponse' | 'holdsLease' | 'settle' | 'noteFirstToken'>;

type CallTools = {
  readonly store: CallStore;
  readonly signals: CallSignals;
  readonly onEvent: OnEvent;
  /** Wall clock: headers state times of day. */
  readonly now: () => number;
  /** Hears how the call went. */
  readonly onCall?: (call: EndedCall) => void;
};

/** A commit takes less, unless the process was frozen, or somebody held the database. */
const LONG_COMMIT_MS = 1000;

/**
 * Marks the call as sent; false when its lease is lost. A process that was frozen right then looks once more: another may have made
 * the call meanwhile. What was marked and never left cost nothing.
 */
async function mayLeave(store: CallStore, token: string): Promise<boolean> {
  const beforeMs = performance.now();
  if (!(await store.markSent(token))) return false;
  if (performance.now() - beforeMs < LONG_COMMIT_MS || (await store.holdsLease(token))) return true;
  await store.settle(token, {
    kind: 'failed',
    callToken: token,
    failure: NEVER_LEFT,
    call: { state: 'settled', usage: null, costNanoUsd: 0 },
  });
  return false;
}

const NEVER_LEFT: Failure = { class: 'transient', reason: 'worker_lost', message: 'the lease was lost before the call left' };

/** What the ledger holds of a call whose answer is here, by the price that the claim reserved it at: the manifest may have changed. */
export function settledCall(completion: Completion, rate: ModelRate): CallOutcome {
  const { usage, latencyMs, firstTokenMs } = completion;
  return { state: 'settled', usage, costNanoUsd: callCost(completion, rate), timing: { latencyMs, firstTokenMs } };
}

function requestOf(claim: Claim, work: CallWork, { task, model, document }: CallTarget): CompletionRequest {
  const output = outputForm(work.input?.kind === 'prompt' ? reduceForm(task) : task, model, work.mode);
  const mode = output.format === 'json' ? output.mode : 'prompt';
  return {
    callToken: claim.token,
    attempt: work.attempts + 1,
    repeat: claim.job.repeat,
    model: model.model,
    messages: renderMessages({
      task,
      document: { documentId: claim.job.documentId, content: document },
      mode,
      reask: work.reask,
      input: work.input,
    }),
    params: model.params,
    output,
    timeouts: callTimeouts(model.timeouts, work.lastFailure, claim.deadlineAtMs - claim.claimedAtMs),
    ...(work.prefix === null ? {} : { promptCacheKey: work.prefix }),
  };
}

/** `auto` starts with the API's schema, or its JSON mode when there is none to give, until the store remembers a refusal. */
export function outputForm(task: Pick<ResolvedTask, 'output'>, model: ResolvedModel, remembered: StructuredMode | null): OutputForm {
  const { format, schema, strict } = task.output;
  if (format === 'text') return { format: 'text' };
  const first: StructuredMode = schema === null ? 'json_object' : 'json_schema';
  const mode = model.structuredOutput === 'auto' ? (remembered ?? first) : model.structuredOutput;
  return { format: 'json', schema, strict, mode: mode === 'json_schema' ? first : mode };
}

type EndedBy = 'deadline' | 'stop' | 'cancel' | null;

type Failed = { readonly callToken: string; readonly output: OutputForm; readonly notes: CallNotes };

type FailedOutcome = Extract<StepOutcome, { kind: 'failed' | 'downgraded' }>;

function failedCall({ callToken, output, notes }: Failed, error: ProviderError, endedBy: EndedBy): FailedOutcome {
  const call = { ...failedCallOutcome(error), ...notes.rates };
  const failure = failureOf(error, endedBy);
  if (failure.class !== 'capability') return { kind: 'failed', callToken, failure, call };
  if (failure.sameMode === true) return { kind: 'downgraded', mode: null, failure, call };
  const mode = lesserMode(output);
  if (mode === null) return { kind: 'failed', callToken, failure: { ...failure, class: 'permanent' }, call };
  return { kind: 'downgraded', mode, failure, call };
}

/** The next mode to try when a server refuses this one; `null` when there is none. */
export function lesserMode(output: OutputForm): StructuredMode | null {
  if (output.format === 'text' || output.mode === 'prompt') return null;
  return output.mode === 'json_schema' ? 'json_object' : 'prompt';
}

/** A call that we ended ourselves counts no attempt: it is asked again in the next run, unless its job was cancelled. */
function failureOf({ failure }: ProviderError, endedBy: EndedBy): Failure {
  if (endedBy === 'stop') return { ...failure, class: 'rate', reason: 'cancelled', message: 'stopped while the call was running' };
  if (endedBy === 'cancel') return { ...failure, class: 'rate', reason: 'cancelled', message: 'cancelled while the call was running' };
  if (endedBy === 'deadline') return { ...failure, class: 'transient', reason: 'deadline', message: 'the step reached its hard deadline' };
  return failure;
}

/** An error status was answered, or something that is no model's server answered: that costs nothing. A silence may have been billed. */
function failedCallOutcome({ sent, failure }: ProviderError): CallOutcome {
  if (!sent) return { state: 'released', usage: null, costNanoUsd: null };
  const isFree = failure.reason === 'wrong_url' || (failure.status !== undefined && failure.status >= 400);
  if (isFree) return { state: 'settled', usage: null, costNanoUsd: 0 };
  return { state: 'unknown', usage: null, costNanoUsd: null };
}

type EndSignal = { readonly signal: AbortSignal; cause(): EndedBy; clear(): void };

/** One fresh controller per call, linked by hand: `AbortSignal.any` on a long-lived signal leaks 2 kB a call on Node 20. */
function endSignal(limitMs: number, { now, cancel }: CallSignals): EndSignal {
  const controller = new AbortController();
  let cause: EndedBy = null;
  const end = (by: EndedBy) => () => {
    cause ??= by;
    controller.abort();
  };
  const timer = setTimeout(end('deadline'), Math.max(0, limitMs));
  const unlinks = [link(now, end('stop')), link(cancel, end('cancel'))];
  return {
    signal: controller.signal,
    cause: () => cause,
    clear: () => {
      clearTimeout(timer);
      for (const unlink of unlinks) unlink();
    },
  };
}

/** Calls `onAbort` when, or if already, `signal` is aborted. Returns what takes that back. */
function link(signal: AbortSignal, onAbort: () => void): () => void {
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  return () => signal.removeEventListener('abort', onAbort);
}
