import { findNodeAtLocation, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { z } from 'zod';
import type { Completion } from '../domain/completion.ts';
import { LONGEST_NAMED_WAIT_MS } from '../domain/duration.ts';
import { UserError } from '../domain/errors.ts';
import { type Failure, REASONS } from '../domain/reason.ts';
import { listAt, parsedJson, textAt } from './json-shape.ts';
import { MOST_TOKENS } from './usage.ts';

/** Recorded answers of a provider, for `replay`. In the file, an answer that is compact JSON stands as `json` instead of `content`. */
export type Cassette = { readonly v: 1; readonly entries: readonly CassetteEntry[] };

/** All that was answered to one request body. */
export type CassetteEntry = {
  /** `wireKey` of the body, with the output limit under its default name. */
  readonly key: string;
  readonly request: RequestSummary;
  /** In the order in which they came; the nth call gets the nth, the last one repeats. */
  readonly responses: readonly RecordedResponse[];
};

/** Enough to recognise a request; never a whole document. */
export type RequestSummary = {
  readonly model: string;
  /** The first 80 characters of the last user message. */
  readonly prompt: string;
  /** Length of all messages together, in UTF-16 units. */
  readonly chars: number;
};

export type RecordedResponse = { readonly repeat: number } & (
  | { readonly answer: RecordedAnswer }
  | { readonly failure: Failure; readonly sent: boolean }
);

export type RecordedAnswer = Pick<Completion, 'content' | 'refusal' | 'finishReason' | 'usage' | 'model'>;

const SUMMARY_CHARACTERS = 80;

/** Of a body as it was sent. */
export function bodySummary(body: unknown): RequestSummary {
  const messages = listAt(body, 'messages').map((message) => ({
    role: textAt(message, 'role') ?? '',
    content: textAt(message, 'content') ?? '',
  }));
  return requestSummary({ model: textAt(body, 'model') ?? '', messages });
}

type Asked = { readonly model: string; readonly messages: readonly { readonly role: string; readonly content: string }[] };

export function requestSummary(request: Asked): RequestSummary {
  const lastUser = request.messages.findLast(({ role }) => role === 'user');
  const prompt = (lastUser?.content ?? '').replace(/\s+/g, ' ').trim().slice(0, SUMMARY_CHARACTERS);
  return { model: request.model, prompt, chars: request.messages.reduce((sum, { content }) => sum + content.length, 0) };
}

const COUNT = z.number().int().min(0);
const TOKENS = COUNT.max(MOST_TOKENS);

const USAGE = z.strictObject({
  uncachedInput: TOKENS,
  cacheRead: TOKENS.default(0),
  cacheWrite: TOKENS.default(0),
  output: TOKENS,
  reasoning: TOKENS.default(0),
});

const ANSWER = z
  .strictObject({
    content: z.string().optional(),
    json: z.json().optional(),
    refusal: z.string().nullable().default(null),
    finishReason: z.enum(['stop', 'length', 'content_filter', 'tool_calls', 'other']).default('stop'),
    usage: USAGE.nullable().default(null),
    model: z.string().optional(),
  })
  .refine(({ content, json }) => (content === undefined) !== (json === undefined), { error: 'expected either "content" or "json"' });

const FAILURE = z.strictObject({
  class: z.enum(['transient', 'rate', 'permanent', 'fatal', 'capability', 'quality']),
  reason: z.enum(REASONS),
  message: z.string(),
  status: z.number().int().optional(),
  code: z.string().optional(),
  requestId: z.string().optional(),
  limited: z.enum(['requests', 'tokens', 'concurrency']).optional(),
  sameMode: z.literal(true).optional(),
  retryAfterMs: z.number().min(0).max(LONGEST_NAMED_WAIT_MS).optional(),
  partial: z.string().optional(),
});

const RESPONSE = z.union([
  z.strictObject({ repeat: COUNT.default(0), answer: ANSWER }),
  z.strictObject({ repeat: COUNT.default(0), failure: FAILURE, sent: z.boolean().default(true) }),
]);

const CASSETTE = z.strictObject({
  v: z.literal(1),
  entries: z.array(
    z.strictObject({
      key: z.string().regex(/^[0-9a-f]{64}$/, { error: 'expected 64 hexadecimal digits' }),
      request: z.strictObject({ model: z.string(), prompt: z.string(), chars: COUNT.default(0) }),
      responses: z.array(RESPONSE).min(1),
    }),
  ),
});

/** The first thing wrong with a cassette's text; `offset` in UTF-16 units, a byte order mark not counted. */
export type CassetteFault = { readonly offset: number; readonly what: string };

/** Reads a cassette's text. Throws `UserError` (E02) that names the place of the first thing wrong. */
export function parseCassette(text: string, path: string): Cassette {
  const read = readCassette(text);
  if ('fault' in read) throw corrupt(path, withoutMark(text), read.fault);
  return read.cassette;
}

/** The same without throwing, for a list of everything that is wrong. */
export function readCassette(marked: string): { readonly cassette: Cassette } | { readonly fault: CassetteFault } {
  const text = withoutMark(marked);
  const json = parsedJson(text);
  if (json === undefined) return { fault: syntaxFault(text) };
  const parsed = CASSETTE.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const what = `${pointer(issue?.path ?? [])}: ${issue?.message ?? 'unknown shape'}`;
    return { fault: { offset: offsetOf(text, issue?.path ?? []), what } };
  }
  const entries = parsed.data.entries.map((entry) => ({
    ...entry,
    responses: entry.responses.map((response) => recordedResponse(response, entry.request.model)),
  }));
  return { cassette: { v: 1, entries } };
}

/** The text of a cassette: entries sorted by model, prompt and key, so that two recordings differ only where answers do. */
export function cassetteText(entries: readonly CassetteEntry[]): string {
  const sorted = [...entries].sort((a, b) => compare(sortKey(a), sortKey(b)));
  const written = sorted.map((entry) => ({ ...entry, responses: entry.responses.map(writtenResponse) }));
  return `${JSON.stringify({ v: 1, entries: written }, null, 2)}\n`;
}

function recordedResponse(response: z.infer<typeof RESPONSE>, model: string): RecordedResponse {
  if ('failure' in response) return { ...response, failure: defined(response.failure) };
  const { content, json, ...rest } = response.answer;
  return { repeat: response.repeat, answer: { ...rest, content: content ?? JSON.stringify(json), model: rest.model ?? model } };
}

/** Under `exactOptionalPropertyTypes` a field that zod left `undefined` must not be there at all. */
function defined(failure: z.infer<typeof FAILURE>): Failure {
  const { class: kind, reason, message, status, code, requestId, limited, sameMode, retryAfterMs, partial } = failure;
  return {
    class: kind,
    reason,
    message,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(limited === undefined ? {} : { limited }),
    ...(sameMode === undefined ? {} : { sameMode }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(partial === undefined ? {} : { partial }),
  };
}

function writtenResponse(response: RecordedResponse): object {
  const repeat = response.repeat === 0 ? {} : { repeat: response.repeat };
  if ('failure' in response) return { ...repeat, failure: response.failure, sent: response.sent };
  const { content, refusal, finishReason, usage, model } = response.answer;
  return { ...repeat, answer: { ...writtenContent(content), ...(refusal === null ? {} : { refusal }), finishReason, usage, model } };
}

/** As a value only if it comes back as the very same text. */
function writtenContent(content: string): object {
  try {
    const json: unknown = JSON.parse(content);
    return JSON.stringify(json) === content ? { json } : { content };
  } catch {
    return { content };
  }
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

function syntaxFault(text: string): CassetteFault {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return { offset: 0, what: 'not JSON' };
  return { offset: first.offset, what: `not JSON (${printParseErrorCode(first.error)})` };
}

function offsetOf(text: string, path: readonly PropertyKey[]): number {
  const tree = parseTree(text);
  for (let depth = path.length; tree !== undefined && depth > 0; depth -= 1) {
    const segments = path.slice(0, depth).map((part) => (typeof part === 'number' ? part : String(part)));
    const node = findNodeAtLocation(tree, segments);
    if (node !== undefined) return node.offset;
  }
  return 0;
}

/** What to do about a cassette that cannot be read. */
export const CASSETTE_HINT = 'restore the file, or record it anew: aieval run MANIFEST --record FILE';

function corrupt(path: string, text: string, { offset, what }: CassetteFault): UserError {
  const before = text.slice(0, offset).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return new UserError({
    code: 'E02',
    exitCode: 2,
    message: `${path}:${before.length}:${column}: the cassette cannot be read: ${what}`,
    next: [CASSETTE_HINT],
  });
}

function pointer(path: readonly PropertyKey[]): string {
  return path.length === 0
    ? 'the whole'
    : path
        .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
        .join('')
        .replace(/^\./, '');
}

function sortKey({ request, key }: CassetteEntry): string {
  return [request.model, request.prompt, key].join('\u0000');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
