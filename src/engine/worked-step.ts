import type { Completion } from '../domain/completion.ts';
import type { ResolvedManifest, ResolvedModel } from '../domain/manifest/resolved.ts';
import type { Failure } from '../domain/reason.ts';
import type { EndedCall, WorkedStep, WorkFailure } from '../domain/work-news.ts';
import type { CallOutcome, Claim } from '../store/work.ts';

/** Whose a claimed step is, for whoever keeps a log, counts or traces. */
export function workedStep({ token, runId, job, work }: Claim, { models }: ResolvedManifest, workerId: string): WorkedStep {
  const { jobId, documentId, task, model } = job;
  const stepKind = work.kind === 'finish' ? 'finish' : work.stepKind;
  const attempt = work.kind === 'call' ? work.attempts + 1 : null;
  return { runId, workerId, jobId, documentId, task, model, provider: models[model]?.provider ?? 'unknown', stepKind, token, attempt };
}

/** The failure without the words of a server: those may repeat the prompt. */
export function wordlessFailure({ class: failureClass, reason, status }: Failure): WorkFailure {
  return { class: failureClass, reason, ...(status === undefined ? {} : { status }) };
}

type CallTimes = { readonly startedAtMs: number; readonly model: ResolvedModel; readonly baseUrl: string | null };

/** A call that was answered. */
export function answeredCall(times: CallTimes, completion: Completion, { costNanoUsd }: CallOutcome): EndedCall {
  const { model: modelName, finishReason, usage, firstTokenMs, latencyMs, requestId } = completion;
  const result = { ok: true, modelName, finishReason, usage, costNanoUsd, firstTokenMs } as const;
  return { ...asked(times), providerRequestId: requestId, latencyMs, result };
}

/** A call that was not answered, or not to its end. */
export function failedCall(times: CallTimes, failure: Failure, { costNanoUsd }: CallOutcome, endedAtMs: number): EndedCall {
  const latencyMs = Math.max(0, endedAtMs - times.startedAtMs);
  const result = { ok: false, failure: wordlessFailure(failure), costNanoUsd } as const;
  return { ...asked(times), providerRequestId: failure.requestId ?? null, latencyMs, result };
}

function asked({ startedAtMs, model, baseUrl }: CallTimes): Pick<EndedCall, 'startedAtMs' | 'modelName' | 'params' | 'baseUrl'> {
  const { temperature, topP, seed, maxOutputTokens } = model.params;
  const params = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
  return { startedAtMs, modelName: model.model, params, baseUrl };
}
