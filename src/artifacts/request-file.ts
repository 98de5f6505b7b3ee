import type { Json } from '../domain/canonical-json.ts';
import type { Span } from '../domain/document.ts';
import { textPieces } from '../domain/text-pieces.ts';

/** A document's canonical text and its hash. */
export type StoredText = { readonly sha256: string; readonly text: string };

/**
 * `request.json`: the body as it went over the wire. Where `references` is true, the content of a message may be a list of
 * strings and of `{ $text: { sha256, start, end } }`, to be joined: `[start, end)` in UTF-16 units of `texts/<sha256>.txt`. Where it is
 * false, `body` is the wire body itself.
 */
export type RequestFile = { readonly v: 1; readonly references: boolean; readonly body: Json };

/** Puts references in the place of the document's text, or of the part of it that was asked; `restoreRequest` is the exact inverse. */
export function requestFile(wireBody: Json, text: StoredText | null, part: Span | null = null): RequestFile {
  const verbatim: RequestFile = { v: 1, references: false, body: wireBody };
  if (text === null) return verbatim;
  const span = part ?? { start: 0, end: text.text.length };
  const contents = contentsOf(wireBody);
  // A server's own lists of content parts could not be told from ours: such a body stays as it is.
  if (contents.some((content) => Array.isArray(content))) return verbatim;
  if (!contents.some((content) => typeof content === 'string' && textPieces(content, text.text, span) !== null)) return verbatim;
  return { v: 1, references: true, body: mapContents(wireBody, (content) => withReferences(content, text, span)) };
}

/** The body as it went over the wire. Throws when a reference names another text than the one given. */
export function restoreRequest(file: RequestFile, text: StoredText): Json {
  if (!file.references) return file.body;
  return mapContents(file.body, (content) => (isList(content) ? content.map((part) => restored(part, text)).join('') : content));
}

function withReferences(content: Json, { sha256, text }: StoredText, span: Span): Json {
  const pieces = typeof content === 'string' ? textPieces(content, text, span) : null;
  return pieces?.map((piece) => (typeof piece === 'string' ? piece : { $text: { sha256, ...piece } })) ?? content;
}

function restored(part: Json, { sha256, text }: StoredText): string {
  if (typeof part === 'string') return part;
  const reference = isObject(part) ? part.$text : undefined;
  if (reference === undefined || !isObject(reference) || reference.sha256 !== sha256) {
    throw new Error(`Expected a reference to the text ${sha256}, got ${JSON.stringify(part)}`);
  }
  return text.slice(Number(reference.start), Number(reference.end));
}

function contentsOf(body: Json): readonly Json[] {
  const messages = isObject(body) ? body.messages : undefined;
  if (messages === undefined || !isList(messages)) return [];
  return messages.flatMap((message) => (isObject(message) && message.content !== undefined ? [message.content] : []));
}

function mapContents(body: Json, map: (content: Json) => Json): Json {
  const messages = isObject(body) ? body.messages : undefined;
  if (!isObject(body) || messages === undefined || !isList(messages)) return body;
  const mapped = messages.map((message) =>
    isObject(message) && message.content !== undefined ? { ...message, content: map(message.content) } : message,
  );
  return { ...body, messages: mapped };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
