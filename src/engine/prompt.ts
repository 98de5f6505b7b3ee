import { canonicalJson, type Json, sha256Hex } from '../domain/canonical-json.ts';
import type { Message, StructuredMode } from '../domain/completion.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { ResolvedTask } from '../domain/manifest/resolved.ts';
import { mentions, parseTemplate, renderTemplate } from '../domain/manifest/template.ts';
import type { Part, StepInput } from '../domain/part.ts';
import { fenced } from './fence.ts';
import { partIntro } from './part-intro.ts';
import { reduceOutput } from './reduce-output.ts';

/** A document as a prompt sees it. */
export type PromptDocument = { readonly documentId: string; readonly content: CanonicalText };

/** What of a task goes into its prompt. */
export type PromptTask = Pick<ResolvedTask, 'prompt' | 'system' | 'vars' | 'output' | 'chunk' | 'merge'>;

/** A piece of a prompt; the document's has its fence around it, a part's its intro above that. */
export type PromptPiece = { readonly text: string; readonly isDocument: boolean };

/**
 * The task's prompt with everything filled in, in the pieces that its template has: the same bytes for the same task and document, in
 * every run. The document, or the part of it, stands between two lines that its text cannot contain.
 */
export function renderPieces(task: PromptTask, document: PromptDocument, asked: AskedPart | null): PromptPiece[] {
  return parseTemplate(task.prompt).map((piece) => {
    if (typeof piece === 'string') return { text: piece, isDocument: false };
    if (piece.name !== 'document') return { text: valueFor(piece.name, task, document), isDocument: false };
    return { text: asked === null ? fencedDocument(document) : fencedPart(document, asked), isDocument: true };
  });
}

/** The task's system message with everything filled in; `null` when it has none. */
export function renderSystem(task: PromptTask, document: PromptDocument): string | null {
  return task.system === null ? null : renderTemplate(task.system, (name) => valueFor(name, task, document));
}

export type RenderedPrompt = { readonly system: string | null; readonly prompt: string };

/** Both texts of a task with everything filled in. */
export function renderPrompt(task: PromptTask, document: PromptDocument, part: Part | null): RenderedPrompt {
  return { system: renderSystem(task, document), prompt: joined(renderPieces(task, document, askedPart(task, document, part))) };
}

/**
 * The words of a question that are not the document's: system message and prompt without it, and what stands above each of `parts`
 * (none when the document was asked whole). A quote that stands only here was not taken from the document.
 */
export function questionText(task: PromptTask, document: PromptDocument, parts: readonly Part[]): string {
  const pieces = renderPieces(task, { ...document, content: { ...document.content, text: '' } }, null);
  const around = pieces.map(({ text, isDocument }) => (isDocument ? '\n' : text)).join('');
  const texts = [renderSystem(task, document) ?? '', around, ...parts.map((part) => introOf(task, document, part))];
  return texts.filter((text) => text !== '').join('\n');
}

/** A part and what stands above it, outside its fence. */
export type AskedPart = { readonly part: Part; readonly intro: string };

/** `null`: the whole document. */
export function askedPart(task: PromptTask, document: PromptDocument, part: Part | null): AskedPart | null {
  return part === null ? null : { part, intro: introOf(task, document, part) };
}

function introOf({ chunk }: PromptTask, { content }: PromptDocument, part: Part): string {
  return partIntro(chunk?.context ?? false, content, part);
}

/** The text of pieces that stand one after the other. */
export function joined(pieces: readonly PromptPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** What a variable of a template stands for, but for those that hold the document or answers. */
export function valueFor(name: string, task: Pick<PromptTask, 'vars' | 'output'>, { documentId, content }: PromptDocument): string {
  switch (name) {
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

/** Words of the document that stand elsewhere in the prompt. */
function around({ documentId, content }: PromptDocument): string[] {
  return [documentId, content.title ?? ''];
}

function fencedDocument(document: PromptDocument): string {
  return fenced('document', document.content.text, document.content.textSha256, around(document));
}

function fencedPart(document: PromptDocument, { part, intro }: AskedPart): string {
  const text = document.content.text.slice(part.start, part.end);
  return `${intro}${fenced('document', text, sha256Hex(text), [intro, ...around(document)])}`;
}

export type MessagesInput = {
  readonly task: PromptTask;
  readonly document: PromptDocument;
  /** How the form of the answer is asked for; of no account for text answers. */
  readonly mode: StructuredMode;
  /** The answer to mend and what is wrong with it; `null` for a first question. */
  readonly reask: { readonly answer: string; readonly errors: readonly string[] } | null;
  /** `null`: the whole document. */
  readonly input: StepInput | null;
};

/**
 * The messages of one request. What the API cannot be told about the answer's form is told in words, at the end; a re-ask
 * follows after everything, so that the cached prefix still holds.
 */
export function renderMessages({ task, document, mode, reask, input }: MessagesInput): Message[] {
  const { system, prompt } = rendered(task, document, input);
  const content = [prompt, ...formInstruction(input?.kind === 'prompt' ? reduceForm(task) : task, mode)].join('\n\n');
  return [
    ...(system === null ? [] : [{ role: 'system', content: system } as const]),
    { role: 'user', content },
    ...(reask === null ? [] : reaskMessages(reask)),
  ];
}

function rendered(task: PromptTask, document: PromptDocument, input: StepInput | null): RenderedPrompt {
  return input?.kind === 'prompt' ? input : renderPrompt(task, document, input?.part ?? null);
}

/** What of a task says in which form it is to be answered. */
export type FormTask = Pick<ResolvedTask, 'output' | 'prompt' | 'system'>;

/** That of the step which makes one answer of the parts' answers. */
export function reduceForm(task: Pick<ResolvedTask, 'output' | 'system' | 'merge'>): FormTask {
  return { output: reduceOutput(task), prompt: task.merge?.reduce ?? '', system: task.system };
}

/**
 * What the user's message says of the answer's form. The word JSON must be there: `json_object` is refused without it by some servers
 * and ends in endless white space at others.
 */
export function formInstruction({ output, prompt, system }: FormTask, mode: StructuredMode): string[] {
  const { format, schema } = output;
  if (format === 'text' || (schema !== null && mode === 'json_schema')) return [];
  if (schema === null) return ['Answer with one JSON value and nothing else.'];
  if (mentions(prompt, 'schema') || (system !== null && mentions(system, 'schema'))) {
    return ['Answer with one JSON value that is valid against the schema above, and nothing else.'];
  }
  return [`Answer with one JSON value that is valid against this JSON Schema, and nothing else:\n\n${schemaText(schema)}`];
}

const SHOWN_ERRORS = 20;

/** What follows the first question where its answer is to be mended: the answer, and what is wrong with it. */
export function reaskMessages({ answer, errors }: { readonly answer: string; readonly errors: readonly string[] }): Message[] {
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
