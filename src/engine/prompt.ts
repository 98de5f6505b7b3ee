import { canonicalJson, type Json, sha256Hex } from '../domain/canonical-json.ts';
import type { Message, StructuredMode } from '../domain/completion.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { ResolvedTask } from '../domain/manifest/resolved.ts';
import { mentions, parseTemplate, renderTemplate } from '../domain/manifest/template.ts';

/** A document as a prompt sees it. */
export type PromptDocument = { readonly documentId: string; readonly content: CanonicalText };

/** What of a task goes into its prompt. */
export type PromptTask = Pick<ResolvedTask, 'prompt' | 'system' | 'vars' | 'output'>;

/** A piece of a prompt; the document's has its fence around it. */
export type PromptPiece = { readonly text: string; readonly isDocument: boolean };

/**
 * The task's prompt with everything filled in, in the pieces that its template has: the same bytes for the same task and document, in
 * every run. The document stands between two lines that its text cannot contain.
 */
export function renderPieces(task: PromptTask, document: PromptDocument): PromptPiece[] {
  return parseTemplate(task.prompt).map((part) =>
    typeof part === 'string'
      ? { text: part, isDocument: false }
      : { text: valueFor(part.name, task, document), isDocument: part.name === 'document' },
  );
}

/** The task's system message with everything filled in; `null` when it has none. */
export function renderSystem(task: PromptTask, document: PromptDocument): string | null {
  return task.system === null ? null : renderTemplate(task.system, (name) => valueFor(name, task, document));
}

/** Both texts of a task with everything filled in. */
export function renderPrompt(task: PromptTask, document: PromptDocument): { readonly system: string | null; readonly prompt: string } {
  return { system: renderSystem(task, document), prompt: joined(renderPieces(task, document)) };
}

/** The text of pieces that stand one after the other. */
export function joined(pieces: readonly PromptPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

function valueFor(name: string, task: PromptTask, { documentId, content }: PromptDocument): string {
  switch (name) {
    case 'document':
      return fenced(content);
    case 'document.path':
      return documentId;
    case 'document.title':
      return (content.title ?? documentId).replace(/\s+/g, ' ').trim();
    case 'schema':
      return schemaText(task.output.schema);
    default:
      return asText(task.vars[name.replace(/^vars\./, '')], name);
  }
}

function asText(value: Json | undefined, name: string): string {
  if (value === undefined) throw new Error(`the template names ${name}, which the manifest's check let pass`);
  return typeof value === 'string' ? value : canonicalJson(value);
}

/** Keys stay in the user's order: it says in which order to think. */
export function schemaText(schema: Json): string {
  return JSON.stringify(schema, null, 2);
}

const FENCE_DIGITS = 12;

/** The fence comes from the text's hash, not from chance, so that prompts stay equal and providers can cache them. */
function fenced({ text, textSha256 }: CanonicalText): string {
  const name = `document-${fenceMark(text, textSha256)}`;
  return `<${name}>\n${text}${text.endsWith('\n') ? '' : '\n'}</${name}>`;
}

/** As much of the hash as the text does not contain; beyond its end, of the hash's own hash, and so on. */
function fenceMark(text: string, textSha256: string): string {
  let digits = textSha256;
  let length = FENCE_DIGITS;
  while (text.includes(digits.slice(0, length))) {
    length += 1;
    if (length > digits.length) digits += sha256Hex(digits);
  }
  return digits.slice(0, length);
}

export type MessagesInput = {
  readonly task: PromptTask;
  readonly document: PromptDocument;
  /** How the form of the answer is asked for; of no account for text answers. */
  readonly mode: StructuredMode;
  /** The answer to mend and what is wrong with it; `null` for a first question. */
  readonly reask: { readonly answer: string; readonly errors: readonly string[] } | null;
};

/**
 * The messages of one request. What the API cannot be told about the answer's form is told in words, at the end; a re-ask
 * follows after everything, so that the cached prefix still holds.
 */
export function renderMessages({ task, document, mode, reask }: MessagesInput): Message[] {
  const { system, prompt } = renderPrompt(task, document);
  const content = [prompt, ...formInstruction(task, mode)].join('\n\n');
  return [
    ...(system === null ? [] : [{ role: 'system', content: system } as const]),
    { role: 'user', content },
    ...(reask === null ? [] : reaskMessages(reask)),
  ];
}

/**
 * What the user's message says of the answer's form. The word JSON must be there: `json_object` is refused without it by some servers
 * and ends in endless white space at others.
 */
export function formInstruction({ output, prompt, system }: PromptTask, mode: StructuredMode): string[] {
  const { format, schema } = output;
  if (format === 'text' || (schema !== null && mode === 'json_schema')) return [];
  if (schema === null) return ['Answer with one JSON value and nothing else.'];
  if (mentions(prompt, 'schema') || (system !== null && mentions(system, 'schema'))) {
    return ['Answer with one JSON value that is valid against the schema above, and nothing else.'];
  }
  return [`Answer with one JSON value that is valid against this JSON Schema, and nothing else:\n\n${schemaText(schema)}`];
}

const SHOWN_ERRORS = 20;

function reaskMessages({ answer, errors }: { readonly answer: string; readonly errors: readonly string[] }): Message[] {
  const shown = errors.slice(0, SHOWN_ERRORS).map((error) => `- ${error}`);
  const more = errors.length > SHOWN_ERRORS ? [`- and ${errors.length - SHOWN_ERRORS} more`] : [];
  const complaint = [
    'Your answer is not valid:',
    ...shown,
    ...more,
    '',
    'Give the corrected JSON only, complete and with nothing around it.',
  ];
  return [
    // An empty assistant message is refused by some servers.
    { role: 'assistant', content: answer.trim() === '' ? '(empty answer)' : answer },
    { role: 'user', content: complaint.join('\n') },
  ];
}
