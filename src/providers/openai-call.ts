import OpenAI from 'openai';
import type { Completion, CompletionRequest } from '../domain/completion.ts';
import { ProviderError } from '../domain/errors.ts';
import type { Failure } from '../domain/reason.ts';
import { AnswerDraft } from './answer-draft.ts';
import {
  alienAnswerFailure,
  type CallContext,
  cancelledFailure,
  connectionFailure,
  cutFailure,
  emptyAnswerFailure,
  errorAnswerFailure,
  timeoutFailure,
} from './classify.ts';
import { isRecord, jsonText } from './json-shape.ts';
import { linkedAbort } from './linked-abort.ts';
import { createExchange, type Exchange, type Trouble } from './normalising-fetch.ts';
import type { Endpoint } from './openai-endpoint.ts';
import type { CallListener } from './provider.ts';
import { readStream, type StreamEnd } from './read-stream.ts';
import { sentParams } from './refused-param.ts';
import { type CallTimers, LONGEST_TIMER_MS, startTimers } from './timers.ts';
import { reportedCostUsd, usageOfAnswer } from './usage.ts';
import { type JsonObject, type OutputLimitName, wireBody } from './wire-body.ts';

/** Far above our own total limit, so that the SDK's timer never speaks first. */
const SDK_SLACK_MS = 60_000;

type Asked = { readonly request: CompletionRequest; readonly signal: AbortSignal; readonly listener: CallListener | undefined };

type Call = Asked & {
  readonly endpoint: Endpoint;
  readonly limitName: OutputLimitName;
  readonly body: JsonObject;
  readonly timers: CallTimers;
  readonly exchange: Exchange;
  readonly startedAtMs: number;
};

/** Sends one chat completion and waits for its whole answer. Throws `ProviderError`; anything else thrown is a bug of ours. */
export async function callOnce(endpoint: Endpoint, asked: Asked): Promise<Completion> {
  const { request, signal, listener } = asked;
  if (signal.aborted) throw new ProviderError(cancelledFailure(), { sent: false });
  const { controller, unlink } = linkedAbort(signal);
  const timers = startTimers(request.timeouts, endpoint.stream, () => controller.abort());
  const exchange = createExchange({
    agent: endpoint.agent,
    headers: headersOf(endpoint, request),
    streaming: endpoint.stream,
    isAnswer: isChatCompletion,
    onSent: timers.sent,
    onHeaders: (header) => listener?.onHeaders(header),
  });
  const limitName = endpoint.limitNames.of(request.model);
  const body = withTransport(wireBody(request, limitName), endpoint, request);
  const call: Call = { ...asked, endpoint, limitName, body, timers, exchange, startedAtMs: endpoint.clock() };
  try {
    return completionOf(await answerOf(call, controller.signal), call);
  } finally {
    timers.stop();
    unlink();
  }
}

function headersOf(endpoint: Endpoint, request: CompletionRequest): { readonly [name: string]: string } {
  const accept = endpoint.stream ? 'text/event-stream, application/json' : 'application/json';
  return { 'content-type': 'application/json', accept, ...endpoint.headers, 'x-client-request-id': request.callToken };
}

/** What changes no answer. A cache key of the manifest's own goes before ours. */
function withTransport(body: JsonObject, { stream, vendor }: Endpoint, { promptCacheKey }: CompletionRequest): JsonObject {
  const cacheKey = vendor.takesCacheKey && promptCacheKey !== undefined ? { prompt_cache_key: promptCacheKey } : {};
  const whole = { ...cacheKey, ...body };
  return stream ? { ...whole, stream: true, stream_options: { include_usage: true } } : { ...whole, stream: false };
}

async function answerOf(call: Call, signal: AbortSignal): Promise<StreamEnd> {
  const { endpoint, body, request, timers, listener } = call;
  const onFirstToken = (): void => listener?.onFirstToken();
  const client = sdkFor(call);
  const timeout = Math.min(LONGEST_TIMER_MS, request.timeouts.totalMs + SDK_SLACK_MS);
  try {
    if (endpoint.stream) {
      const events = await client.post<AsyncIterable<unknown>>('/chat/completions', { body, stream: true, signal, timeout });
      return await readStream(events, { timers, clock: endpoint.clock, onFirstToken });
    }
    const draft = new AnswerDraft();
    draft.add(await client.post<unknown>('/chat/completions', { body, signal, timeout }));
    onFirstToken();
    return { draft, error: null, firstTokenAtMs: null };
  } catch (error) {
    const failure = beforeAnswer(call);
    if (failure === null) throw error;
    throw new ProviderError(failure, { sent: call.exchange.sent(), cause: error });
  }
}

/** Made for each call, which takes 20 µs, so that each has its own `fetch`. The key goes into that; the SDK never sees it. */
function sdkFor({ endpoint, exchange }: Call): OpenAI {
  return new OpenAI({
    baseURL: endpoint.baseUrl,
    apiKey: 'sent-by-the-exchange',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: exchange.fetch,
  });
}

/** Why no answer began; `null` when nothing outside this program explains it. */
function beforeAnswer(call: Call): Failure | null {
  const { exchange, timers, signal } = call;
  const trouble = exchange.trouble();
  if (trouble !== null && trouble.kind !== 'transport' && trouble.kind !== 'cut') return troubleFailure(trouble, call);
  const partial = trouble?.kind === 'cut' ? trouble.partial : '';
  const expired = timers.expired();
  if (expired !== null) return timeoutFailure(expired.timer, expired.limitMs, contextOf(call), partial);
  if (signal.aborted) return cancelledFailure();
  return trouble === null ? null : troubleFailure(trouble, call);
}

function troubleFailure(trouble: Trouble, call: Call): Failure {
  const context = contextOf(call);
  switch (trouble.kind) {
    case 'error':
      return learnt(errorAnswerFailure(trouble.answer, context), call);
    case 'alien':
      return alienAnswerFailure(trouble.answer, context);
    case 'empty':
      return emptyAnswerFailure(trouble.answer, context);
    case 'transport':
      return connectionFailure(trouble.error, context, call.exchange.sent());
    case 'cut':
      return cutFailure(trouble.error, context, trouble.partial);
  }
}

/** An answer with a finish reason is whole and paid for, whatever became of the stream's tail. */
function completionOf(end: StreamEnd, call: Call): Completion {
  const { endpoint, request, body, exchange, startedAtMs } = call;
  const { draft, firstTokenAtMs } = end;
  const cost = endpoint.vendor.reportsCost ? reportedCostUsd(draft.usage) : null;
  const { finishReason } = draft;
  if (finishReason === null || draft.error !== null) throw new ProviderError(unfinished(end, call), { sent: true, cause: end.error });
  return {
    content: draft.content,
    refusal: draft.refusal,
    finishReason,
    usage: usageOfAnswer(draft.usage, draft.content),
    ...(cost === null ? {} : { reportedCostUsd: cost }),
    model: draft.model ?? request.model,
    requestId: exchange.requestId(),
    latencyMs: endpoint.clock() - startedAtMs,
    firstTokenMs: firstTokenAtMs === null ? null : firstTokenAtMs - startedAtMs,
    mode: request.output.format === 'json' ? request.output.mode : null,
    wireBody: body,
  };
}

function unfinished({ draft, error }: StreamEnd, call: Call): Failure {
  const { timers, signal } = call;
  const context = contextOf(call);
  if (draft.error !== null) return errorInAnswer(draft.error, draft.content, call);
  const expired = timers.expired();
  if (expired !== null) return timeoutFailure(expired.timer, expired.limitMs, context, draft.content);
  if (signal.aborted) return cancelledFailure();
  if (error instanceof OpenAI.APIError && error.error !== undefined) return errorInAnswer(error.error, draft.content, call);
  return cutFailure(error, context, draft.content);
}

/** An error that came as an event of a stream whose status was 200. */
function errorInAnswer(error: unknown, content: string, call: Call): Failure {
  const body = jsonText({ error }) ?? '';
  const answer = { status: 200, contentType: 'application/json', header: () => null, requestId: call.exchange.requestId(), body };
  const failure = learnt(errorAnswerFailure(answer, contextOf(call)), call);
  return content === '' ? failure : { ...failure, partial: content };
}

/** A model that does not know one name of the output limit is asked by the other from now on; one that knows neither must do without. */
function learnt(failure: Failure, { endpoint, request, limitName }: Call): Failure {
  if (failure.sameMode !== true || endpoint.limitNames.refused(request.model, limitName)) return failure;
  const { sameMode: _sameMode, ...rest } = failure;
  return { ...rest, class: 'fatal', message: `${failure.message}. Remove params.maxOutputTokens of the model` };
}

function contextOf({ endpoint, request, limitName }: Call): CallContext {
  const { host, secrets, stream, clock } = endpoint;
  const structured = request.output.format === 'json' && request.output.mode !== 'prompt';
  return { host, structured, streaming: stream, params: sentParams(request.params, limitName), secrets, nowMs: clock() };
}

function isChatCompletion(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value.choices);
}
