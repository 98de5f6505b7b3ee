import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What the server does with one request. Made by the functions below. */
export type Scenario = (reply: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** One POST as the client sent it. */
type SeenRequest = {
  /** 1-based, over all POSTs of this server. */
  readonly n: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as text, and its JSON; `{}` when it has none. */
  readonly text: string;
  readonly body: { readonly [key: string]: unknown };
  /** Contents of all messages, joined by blank lines: what to tell requests apart by. */
  readonly prompt: string;
  /** Resolves when the connection to this request's client is gone. */
  readonly gone: Promise<void>;
};

export type ScriptedServer = {
  /** `http://127.0.0.1:PORT/v1`. */
  readonly baseUrl: string;
  /** All POSTs so far, in order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Number of GETs of `/models`. */
  readonly modelLists: () => number;
  /** Most requests ever open at once. */
  readonly maxInFlight: () => number;
  /** Ends every connection and stops listening. */
  readonly close: () => Promise<void>;
};

export type Script = {
  /** Chosen for each POST when its body is here; a promise holds the answer back. */
  readonly respond: (request: SeenRequest) => Scenario | Promise<Scenario>;
  /** Names that `GET /models` lists, or what it does instead; without it, 404. */
  readonly models?: readonly string[] | Scenario;
  /** 0, the default, takes a free port. */
  readonly port?: number;
};

/** An OpenAI-like server on 127.0.0.1 that does what a test tells it, also what no server should do. */
export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  let modelLists = 0;
  let inFlight = 0;
  let maxInFlight = 0;
  const post = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    maxInFlight = Math.max(maxInFlight, ++inFlight);
    reply.on('close', () => inFlight--);
    const request = await seen(message, reply, () => requests.length + 1);
    requests.push(request);
    await (await script.respond(request))(reply, request);
  };
  const get = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    modelLists += 1;
    const { models } = script;
    const scenario = typeof models === 'function' ? models : models === undefined ? notFound() : modelList(models);
    await scenario(reply, await seen(message, reply, () => 0));
  };
  const server = createServer((message, reply) => {
    const work = message.method === 'POST' ? post(message, reply) : get(message, reply);
    work.catch((error) => reply.destroy(error instanceof Error ? error : new Error(String(error))));
  });
  await new Promise<void>((resolve) => server.listen(script.port ?? 0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const baseUrl = `http://127.0.0.1:${address.port}/v1`;
  return { baseUrl, requests, modelLists: () => modelLists, maxInFlight: () => maxInFlight, close };
}

// ── Answers ──

export type AnswerOptions = {
  /** Default `stop`. */
  readonly finishReason?: string | null;
  readonly refusal?: string;
  /** Default: 100 in, of which 0 cached, 10 out. `null` sends none. */
  readonly usage?: object | null;
  /** Default: the model asked for. */
  readonly model?: string;
  readonly headers?: { readonly [name: string]: string };
  /** Wait before the first byte. */
  readonly delayMs?: number;
  /** Reasoning that comes before the content. */
  readonly reasoning?: string;
};

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, prompt_tokens_details: { cached_tokens: 0 } };

/** A good answer, as a stream or whole, as the client asks. */
export function answer(content: string, options: AnswerOptions = {}): Scenario {
  return async (reply, request) => {
    if (options.delayMs !== undefined) await delay(options.delayMs);
    if (request.body.stream !== true) return sendJson(reply, 200, wholeBody(content, options, request), options.headers);
    startEvents(reply, options.headers);
    for (const event of answerEvents(content, options, request)) reply.write(event);
    reply.end('data: [DONE]\n\n');
  };
}

/** A good answer that is JSON. */
export function answerJson(value: unknown, options: AnswerOptions = {}): Scenario {
  return answer(JSON.stringify(value), options);
}

/** A whole answer, though a stream was asked for. */
export function wholeAnswer(content: string, options: AnswerOptions = {}): Scenario {
  return (reply, request) => sendJson(reply, 200, wholeBody(content, options, request));
}

// ── Faults ──

/** Any status with any body: an object becomes JSON, a string goes as it is. */
export function status(code: number, body: unknown, headers: { readonly [name: string]: string } = {}): Scenario {
  return (reply) => sendJson(reply, code, body, headers);
}

/** `{"error":{message,type,code}}` with the status. */
export function apiError(code: number, error: object, headers: { readonly [name: string]: string } = {}): Scenario {
  return status(code, { error }, headers);
}

export function html(code: number, body: string): Scenario {
  return (reply) => sendText(reply, code, body, { 'content-type': 'text/html; charset=utf-8' });
}

/** Takes the request and says nothing, not even headers. */
export function hang(): Scenario {
  return () => undefined;
}

/** Streams the words, then falls silent. */
export function stall(content: string): Scenario {
  return (reply) => {
    startEvents(reply);
    reply.write(delta({ role: 'assistant', content: null }));
    if (content !== '') reply.write(delta({ content }));
  };
}

/** Streams the words, then only `: ping` comments, until the client goes. */
export function pings(content: string, everyMs: number): Scenario {
  return async (reply, request) => {
    await stall(content)(reply, request);
    const timer = setInterval(() => reply.write(': ping\n\n'), everyMs);
    await request.gone;
    clearInterval(timer);
  };
}

/** Streams the words, then ends the connection without a finish reason: in peace (`fin`) or by a reset (`rst`). */
export function cut(content: string, how: 'fin' | 'rst'): Scenario {
  return async (reply, request) => {
    await stall(content)(reply, request);
    if (how === 'fin') return void reply.end();
    await written(reply, ': \n\n');
    reply.socket?.resetAndDestroy();
  };
}

/** Closes the connection before any answer. */
export function drop(): Scenario {
  return (reply) => void reply.socket?.resetAndDestroy();
}

/** Promises a long body and sends only its beginning. */
export function cutBody(code: number, beginning: string): Scenario {
  return async (reply) => {
    reply.writeHead(code, { 'content-type': 'application/json', 'content-length': beginning.length + 1000 });
    await written(reply, beginning);
    reply.socket?.resetAndDestroy();
  };
}

/** A stream of exactly these blocks, then its end. */
export function events(blocks: readonly string[]): Scenario {
  return (reply) => {
    startEvents(reply);
    for (const block of blocks) reply.write(block);
    reply.end();
  };
}

/** Streams the whole answer and its finish reason, then neither usage nor an end. */
export function openTail(content: string): Scenario {
  return (reply) => {
    startEvents(reply);
    reply.write(delta({ content }));
    reply.write(delta({}, 'stop'));
  };
}

/** One event of a stream. */
export function delta(part: object, finishReason: string | null = null): string {
  return event({ id: 'chatcmpl-1', model: 'scripted', choices: [{ index: 0, delta: part, finish_reason: finishReason }] });
}

export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

// ── Inside ──

function answerEvents(content: string, options: AnswerOptions, request: SeenRequest): string[] {
  const model = options.model ?? String(request.body.model);
  const chunk = (part: object, finishReason: string | null = null): string =>
    event({ id: 'chatcmpl-1', model, choices: [{ index: 0, delta: part, finish_reason: finishReason }] });
  const finish = options.finishReason === undefined ? 'stop' : options.finishReason;
  return [
    chunk({ role: 'assistant', content: null }),
    ...(options.reasoning === undefined ? [] : [chunk({ reasoning_content: options.reasoning })]),
    ...(content.match(/[\s\S]{1,20}/g) ?? []).map((part) => chunk({ content: part })),
    ...(options.refusal === undefined ? [] : [chunk({ refusal: options.refusal })]),
    chunk({}, finish),
    ...(options.usage === null ? [] : [event({ id: 'chatcmpl-1', model, choices: [], usage: options.usage ?? USAGE })]),
  ];
}

function wholeBody(content: string, options: AnswerOptions, request: SeenRequest): object {
  const message = { role: 'assistant', content, ...(options.refusal === undefined ? {} : { refusal: options.refusal }) };
  const finish = options.finishReason === undefined ? 'stop' : options.finishReason;
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: options.model ?? request.body.model,
    choices: [{ index: 0, message, finish_reason: finish }],
    ...(options.usage === null ? {} : { usage: options.usage ?? USAGE }),
  };
}

function modelList(names: readonly string[]): Scenario {
  return (reply) => sendJson(reply, 200, { object: 'list', data: names.map((id) => ({ id, object: 'model' })) });
}

function notFound(): Scenario {
  return apiError(404, { message: 'File Not Found', type: 'not_found_error', code: 404 });
}

function startEvents(reply: ServerResponse, headers: { readonly [name: string]: string } = {}): void {
  reply.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
}

function sendJson(reply: ServerResponse, code: number, body: unknown, headers: { readonly [name: string]: string } = {}): void {
  sendText(reply, code, typeof body === 'string' ? body : JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

function sendText(reply: ServerResponse, code: number, text: string, headers: { readonly [name: string]: string }): void {
  reply.writeHead(code, { 'content-length': Buffer.byteLength(text), ...headers });
  reply.end(text);
}

/** Waits until the text has left this process, so that a reset does not overtake it. */
function written(reply: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => reply.write(text, () => setTimeout(resolve, 20)));
}

async function seen(message: IncomingMessage, reply: ServerResponse, number: () => number): Promise<SeenRequest> {
  const gone = new Promise<void>((resolve) => reply.on('close', resolve));
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const body = bodyOf(text);
  return { n: number(), path: message.url ?? '', headers: message.headers, text, body, prompt: promptOf(body), gone };
}

function bodyOf(text: string): { readonly [key: string]: unknown } {
  return text === '' ? {} : JSON.parse(text);
}

function promptOf(body: { readonly [key: string]: unknown }): string {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return messages.map((message) => String(message.content)).join('\n\n');
}
