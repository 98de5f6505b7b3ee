import type { Failure } from '../domain/reason.ts';
import { type ErrorDetail, readErrorBody, strippedText } from './error-body.ts';
import type { ErrorFacts } from './error-facts.ts';
import { ERROR_TABLE } from './error-table.ts';
import { googleDayEndsMs, limitedBy, namesLongWindow } from './rate-limit.ts';
import { refusedParam } from './refused-param.ts';
import { retryAfterMs } from './retry-after.ts';
import { type Secrets, scrub } from './secrets.ts';
import type { TimerName } from './timers.ts';
import { BAD_PORT, errorCode } from './transport-code.ts';

/** An answer that is no completion: an HTTP error, or an error inside a 200. */
export type ErrorAnswer = {
  /** HTTP status as received. */
  readonly status: number;
  readonly contentType: string | null;
  /** Value of a header by its lower-case name. */
  readonly header: (name: string) => string | null;
  readonly requestId: string | null;
  readonly body: string;
};

/** What a failure's message and class depend on besides what happened. */
export type CallContext = {
  /** `host:port`, for messages. */
  readonly host: string;
  /** Whether the request asked for a form by `response_format`. */
  readonly structured: boolean;
  readonly streaming: boolean;
  /** Name on the wire → name in the manifest, of the parameters that were sent. */
  readonly params: ReadonlyMap<string, string>;
  readonly secrets: Secrets;
  readonly nowMs: number;
};

const LONGEST_BODY = 4096;
const LONGEST_PARTIAL = 65_536;
const LONGEST_WORDS = 300;
const LONGEST_PAGE = 200;
const LONGEST_CODE = 100;
const CUT_BY_PROXY: ReadonlySet<number> = new Set([504, 524]);

/** Failure of an error answer, by the table: status, then code, then text. Never throws, whatever the body. */
export function errorAnswerFailure(received: ErrorAnswer, context: CallContext): Failure {
  const answer = scrubbedAnswer(received, context.secrets);
  const detail = readErrorBody(answer.body);
  const facts = factsOf(answer, detail, context);
  const kind = kindOf(facts, answer, context.nowMs);
  return {
    ...kind,
    message: answeredMessage(answer, detail, context) + hintFor(kind, facts, context),
    ...facet(answer),
    ...(detail.codes[0] === undefined ? {} : { code: detail.codes[0].slice(0, LONGEST_CODE) }),
  };
}

type Kind = Pick<Failure, 'class' | 'reason' | 'limited' | 'retryAfterMs' | 'sameMode'>;

function kindOf(facts: ErrorFacts, answer: ErrorAnswer, nowMs: number): Kind {
  const row = ERROR_TABLE.find(({ when }) => when(facts));
  const kind: Kind = { class: row?.class ?? 'transient', reason: row?.reason ?? 'server_error' };
  if (kind.reason === 'rate_limited') return rateKind(facts, answer, nowMs);
  if (kind.reason === 'unsupported' && facts.refused?.limitName != null) return { ...kind, class: 'capability', sameMode: true };
  const wait = kind.class === 'transient' || kind.class === 'rate' ? retryAfterMs(answer, nowMs) : undefined;
  return {
    ...kind,
    // A server that has no room yet says nothing of how many calls it takes in a minute.
    ...(kind.class === 'rate' ? { limited: 'concurrency' as const } : {}),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

/** A limit of a day is waited for when its end is known; else nobody knows when to ask again. */
function rateKind(facts: ErrorFacts, answer: ErrorAnswer, nowMs: number): Kind {
  const named = retryAfterMs(answer, nowMs);
  const dayEndsMs = googleDayEndsMs(facts, nowMs);
  const wait = dayEndsMs === null ? named : Math.max(dayEndsMs, named ?? 0);
  if (wait === undefined && namesLongWindow(facts)) return { class: 'fatal', reason: 'quota' };
  const limited = limitedBy(facts, answer.header);
  return {
    class: 'rate',
    reason: 'rate_limited',
    ...(limited === null ? {} : { limited }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

/** A successful status with something that is no chat completion: a web page, a login form, another API. */
export function alienAnswerFailure(received: ErrorAnswer, context: CallContext): Failure {
  const answer = scrubbedAnswer(received, context.secrets);
  const what = isHtml(answer) ? 'a web page' : 'something that is not a chat completion';
  const words = strippedText(answer.body, LONGEST_PAGE);
  const message = `${context.host} answered ${answer.status} with ${what}: "${words}". Is the base URL right? It usually ends in /v1`;
  return { class: 'fatal', reason: 'wrong_url', message, ...facet(answer) };
}

/** A success without a body, or with a body that says nothing. */
export function emptyAnswerFailure(answer: ErrorAnswer, context: CallContext): Failure {
  const message = `${context.host} answered ${answer.status} without an answer in it`;
  return { class: 'transient', reason: 'server_error', message, ...facet(scrubbedAnswer(answer, context.secrets)) };
}

/** No answer: the connection could not be made, or broke before the first header. */
export function connectionFailure(error: unknown, context: CallContext, sent: boolean): Failure {
  const code = errorCode(error);
  const shown = code ?? 'no code given';
  const message = sent ? `${context.host} closed the connection without an answer (${shown})` : `cannot reach ${context.host} (${shown})`;
  return { ...connectionKind(code), message: scrub(message, context.secrets), ...(code === null ? {} : { code }) };
}

/** The answer began and did not end: no finish reason came. */
export function cutFailure(error: unknown, context: CallContext, partial: string): Failure {
  const code = error === null ? null : errorCode(error);
  const why = error === null ? 'without a finish reason' : `with ${code ?? (error instanceof Error ? error.name : 'an error')}`;
  const message = `the answer from ${context.host} broke off after ${partial.length} characters, ${why}`;
  return { class: 'transient', reason: 'stream_cut', message, ...(code === null ? {} : { code }), ...partialText(partial, context) };
}

const WAITED_FOR: Readonly<Record<TimerName, string>> = {
  connect: 'no connection to',
  firstToken: 'no first word from',
  idle: 'no further word from',
  total: 'no complete answer from',
};

/** One of our own timers ended the call. */
export function timeoutFailure(timer: TimerName, limitMs: number, context: CallContext, partial: string): Failure {
  const message = `${WAITED_FOR[timer]} ${context.host} within ${limitMs} ms (timeouts.${timer}Ms)`;
  return { class: 'transient', reason: 'timeout', message, ...partialText(partial, context) };
}

/** The caller ended the call; what it means is the caller's to say. */
export function cancelledFailure(): Failure {
  return { class: 'transient', reason: 'cancelled', message: 'the call was ended before its answer was complete' };
}

/** Before anything is read out of it or cut off: half a key, or one in small letters, would stay. */
function scrubbedAnswer(answer: ErrorAnswer, secrets: Secrets): ErrorAnswer {
  const header = (name: string): string | null => {
    const value = answer.header(name);
    return value === null ? null : scrub(value, secrets);
  };
  const requestId = answer.requestId === null ? null : scrub(answer.requestId, secrets);
  return { ...answer, header, requestId, body: scrub(answer.body, secrets) };
}

function factsOf(answer: ErrorAnswer, detail: ErrorDetail, { structured, params }: CallContext): ErrorFacts {
  return {
    status: answer.status >= 300 ? answer.status : detail.status,
    codes: detail.codes,
    param: detail.param,
    quotas: detail.quotas,
    text: detail.message.toLowerCase(),
    html: isHtml(answer),
    structured,
    refused: refusedParam(detail, params),
  };
}

function isHtml({ contentType, body }: ErrorAnswer): boolean {
  return /\bhtml\b/i.test(contentType ?? '') || /^\s*<(?:!doctype|html)\b/i.test(body.slice(0, 200));
}

function answeredMessage(answer: ErrorAnswer, detail: ErrorDetail, { host }: CallContext): string {
  const location = answer.header('location');
  if (answer.status < 400 && location !== null)
    return `${host} redirects to ${location.slice(0, LONGEST_PAGE)} (${answer.status}), not followed`;
  const words = detail.message.replace(/\s+/g, ' ').slice(0, LONGEST_WORDS);
  const code = detail.codes[0] === undefined ? '' : ` ${detail.codes[0].slice(0, LONGEST_CODE)}`;
  return `${host} answered ${answer.status}${code}${words === '' ? '' : `: ${words}`}`;
}

/** What a person can do about it. */
function hintFor({ class: failureClass, reason }: Kind, { refused, status }: ErrorFacts, { streaming }: CallContext): string {
  if (reason === 'wrong_url') return '. Is the base URL right? It usually ends in /v1';
  if (failureClass === 'fatal' && refused !== null) return `. Remove params.${refused.name} of the model, or change it`;
  if (!streaming && CUT_BY_PROXY.has(status ?? 0)) return '. A stream is not cut by proxies: set stream of the provider to true';
  return '';
}

function facet(answer: ErrorAnswer): Pick<Failure, 'status' | 'requestId' | 'partial'> {
  return {
    status: answer.status,
    ...(answer.requestId === null ? {} : { requestId: answer.requestId }),
    ...(answer.body === '' ? {} : { partial: answer.body.slice(0, LONGEST_BODY) }),
  };
}

function partialText(partial: string, context: CallContext): Pick<Failure, 'partial'> {
  return partial === '' ? {} : { partial: scrub(partial, context.secrets).slice(0, LONGEST_PARTIAL) };
}

/** A certificate does not mend itself, and an https call to an http port never will. */
function connectionKind(code: string | null): Pick<Failure, 'class' | 'reason'> {
  if (code !== null && /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/.test(code))
    return { class: 'fatal', reason: 'connection' };
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO' || code === BAD_PORT) return { class: 'fatal', reason: 'wrong_url' };
  return { class: 'transient', reason: 'connection' };
}
