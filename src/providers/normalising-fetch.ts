import { type Agent, type Dispatcher, fetch as undiciFetch } from 'undici';
import type { ErrorAnswer } from './classify.ts';
import { isRecord, parsedJson } from './json-shape.ts';
import { noticingSend } from './noticing-send.ts';

/** What kept a request from getting a completion, as seen below the SDK. */
export type Trouble =
  /** No header came. */
  | { readonly kind: 'transport'; readonly error: unknown }
  /** A body of a successful status that broke off; `error` is `null` when it ended in peace, but too early. */
  | { readonly kind: 'cut'; readonly error: unknown; readonly partial: string }
  | { readonly kind: 'error'; readonly answer: ErrorAnswer }
  /** A success that is not what was asked for. */
  | { readonly kind: 'alien'; readonly answer: ErrorAnswer }
  | { readonly kind: 'empty'; readonly answer: ErrorAnswer };

/** One HTTP exchange: a `fetch` for the SDK, and what it saw. Good for one request. */
export type Exchange = {
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Whether the request was written to a connection, so that it may be billed. */
  sent(): boolean;
  /** The server's id of the request; `null` before the headers, or when it gives none. */
  requestId(): string | null;
  trouble(): Trouble | null;
};

export type ExchangeOptions = {
  readonly agent: Agent;
  /** The only headers sent, whatever the SDK finds in the environment. */
  readonly headers: { readonly [name: string]: string };
  readonly streaming: boolean;
  /** Whether a JSON body without an error is what was asked for. */
  readonly isAnswer: (value: unknown) => boolean;
  readonly onSent: () => void;
  /** The response began. `header` takes a lower-case name. */
  readonly onHeaders: (header: (name: string) => string | null) => void;
};

/** Stops the SDK; what really happened is in `Exchange.trouble()`. */
class ExchangeFailed extends Error {}

type Received = Awaited<ReturnType<typeof undiciFetch>>;

const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'apim-request-id'];
const EVENT_STREAM = 'text/event-stream';

/**
 * The SDK loses every error body but `{error:{…}}`, takes a web page for an empty stream and an error inside a 200 for an answer.
 * This `fetch` lets only completions through to it; anything else is kept whole for the classification.
 */
export function createExchange({ agent, headers, streaming, isAnswer, onSent, onHeaders }: ExchangeOptions): Exchange {
  let sent = false;
  let status = 0;
  let requestId: string | null = null;
  let trouble: Trouble | null = null;
  const fail = (what: Trouble): never => {
    trouble = what;
    // The SDK takes an error whose text speaks of time for a timeout.
    throw new ExchangeFailed('no completion came');
  };
  const dispatcher = noticingSend(agent, {
    onSent: () => {
      sent = true;
      onSent();
    },
    onStatus: (given) => {
      status = given;
    },
  });
  const fetch: Exchange['fetch'] = async (input, init) => {
    const response = await send(String(input), init, headers, dispatcher).catch((error) => fail({ kind: 'transport', error }));
    requestId = requestIdOf(response);
    onHeaders((name) => response.headers.get(name));
    if (response.ok && streaming && isEventStream(response)) return streamOf(response);
    const { text, error } = await readWhole(response);
    const answer: ErrorAnswer = { ...facts(response), status, requestId, body: text };
    if (!response.ok) return fail({ kind: 'error', answer });
    if (error !== null) return fail({ kind: 'cut', error, partial: text });
    const judged = judge(answer, streaming, isAnswer);
    return judged === null ? completionOf(text, streaming) : fail(judged);
  };
  return { fetch, sent: () => sent, requestId: () => requestId, trouble: () => trouble };
}

/** Redirects are not followed: the key would go to a host that no one named. */
function send(url: string, init: RequestInit | undefined, headers: ExchangeOptions['headers'], dispatcher: Dispatcher): Promise<Received> {
  const body = typeof init?.body === 'string' ? init.body : null;
  return undiciFetch(url, { method: init?.method ?? 'GET', headers, body, signal: init?.signal ?? null, dispatcher, redirect: 'manual' });
}

/** All that came of a body, and the error that ended it early; `null` when none did. */
async function readWhole(response: Received): Promise<{ text: string; error: unknown }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text: text + decoder.decode(), error: null };
  } catch (error) {
    return { text, error: error ?? new Error('the body broke off') };
  }
}

/** `null` for what was asked for. Servers that know no streaming answer whole, and some declare their events as another type. */
function judge(answer: ErrorAnswer, streaming: boolean, isAnswer: ExchangeOptions['isAnswer']): Trouble | null {
  const { body } = answer;
  if (body.trim() === '') return { kind: 'empty', answer };
  if (streaming && looksLikeEvents(body)) return null;
  const value = parsedJson(body);
  if (hasError(value)) return { kind: 'error', answer };
  if (value !== undefined && isAnswer(value)) return null;
  if (value === undefined && isCutJson(answer)) return { kind: 'cut', error: null, partial: body };
  return { kind: 'alien', answer };
}

/** Beside choices, an `error` that is empty or false says that there is none. */
function hasError(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(first)) return false;
  if (first.choices !== undefined) return Boolean(first.error);
  return (first.error !== undefined && first.error !== null) || first.object === 'error';
}

/** Declared as JSON and begun as JSON: what a proxy leaves of an answer when it gives up. */
function isCutJson({ contentType, body }: ErrorAnswer): boolean {
  return /\bjson\b/i.test(contentType ?? '') && body.trimStart().startsWith('{');
}

function looksLikeEvents(body: string): boolean {
  return /^\s*(?:data:|event:|:)/.test(body);
}

function streamOf(response: Received): Response {
  return new Response(response.body, { status: 200, headers: { 'content-type': EVENT_STREAM } });
}

/** A whole answer to a streaming request becomes a stream of one event, line by line: written anew, it could nest too deep. */
function completionOf(body: string, streaming: boolean): Response {
  if (!streaming) return new Response(body, { status: 200, headers: { 'content-type': 'application/json' } });
  const text = looksLikeEvents(body) ? body : `data: ${body.split(/\r\n|\r|\n/).join('\ndata: ')}\n\ndata: [DONE]\n\n`;
  return new Response(text, { status: 200, headers: { 'content-type': EVENT_STREAM } });
}

function facts({ headers }: Received): Pick<ErrorAnswer, 'contentType' | 'header'> {
  return { contentType: headers.get('content-type'), header: (name) => headers.get(name) };
}

function isEventStream({ headers }: Received): boolean {
  return headers.get('content-type')?.toLowerCase().includes(EVENT_STREAM) ?? false;
}

function requestIdOf({ headers }: Received): string | null {
  const found = REQUEST_ID_HEADERS.map((name) => headers.get(name)).find((value) => value !== null && value !== '');
  return found ?? null;
}
