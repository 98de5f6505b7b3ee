import { dottedOf, type Path } from './path.ts';
import { type Problem, problemAt } from './problem.ts';
import { didYouMean } from './suggest.ts';
import { parseTemplate, type TemplatePart } from './template.ts';
import { positionAt, type TextFile } from './text-file.ts';

/** A template with the place it was read from. `offset` is where its first character stands, `null` when offsets do not map. */
export type TemplateText = {
  readonly template: string;
  readonly file: TextFile;
  readonly start: number;
  /** Whether character i of the template is character start + i of the file. */
  readonly exact: boolean;
};

export type TemplateContext = {
  readonly kind: 'prompt' | 'system' | 'reduce';
  /** Where the manifest names it: `tasks.<id>.prompt`, `tasks.<id>.system` or `tasks.<id>.merge.reduce`. */
  readonly field: Path;
  readonly vars: readonly string[];
  readonly hasSchema: boolean;
  /** Whether the task joins arrays, which `{{merged}}` stands for. */
  readonly hasArrays: boolean;
};

const OWN_NAMES = {
  prompt: ['document', 'document.path', 'document.title'],
  system: [],
  reduce: ['answers', 'merged', 'document.path', 'document.title'],
} as const;

/** Unknown variables, a schema that the task does not have, and a prompt without its document or a reduce without its answers. */
export function templateProblems(text: TemplateText, context: TemplateContext): Problem[] {
  const known = [...OWN_NAMES[context.kind], ...context.vars.map((name) => `vars.${name}`), 'schema'];
  const problem = (offset: number, what: string, hint: string | null = null) =>
    problemAt(text.file, text.exact ? text.start + offset : text.start, { code: 'E10', path: context.field, what, hint });

  const placeholders = parseTemplate(text.template).filter((part) => typeof part !== 'string');
  const problems = placeholders.flatMap(({ name, offset }) => {
    const fault = known.includes(name) ? lacking(name, context) : unknown(name, known, context);
    return fault === null ? [] : [problem(offset, fault)];
  });
  const needed = NEEDED[context.kind];
  if (needed.length === 0 || placeholders.some(({ name }) => needed.includes(name))) return problems;
  const hint = looksLikePath(text.template) ? 'if it is meant as a path: there is no such file' : HINTS[context.kind];
  const names = needed.map((name) => `{{${name}}}`).join(' or ');
  return [...problems, problem(0, `${dottedOf(context.field)} does not contain ${names}`, hint)];
}

/** Of which a template must have one. */
const NEEDED: { readonly [kind in TemplateContext['kind']]: readonly string[] } = {
  prompt: ['document'],
  system: [],
  reduce: ['answers', 'merged'],
};

const HINTS = {
  prompt: 'put {{document}} where the text of the document belongs',
  system: null,
  reduce: 'put {{answers}} where the answers to the parts belong, or {{merged}} for the joined arrays',
} as const;

/** What the task must have for a variable, and has not. */
function lacking(name: string, { field, hasSchema, hasArrays }: TemplateContext): string | null {
  const task = dottedOf(field.slice(0, 2));
  if (name === 'schema' && !hasSchema) return `{{schema}} needs output.schema, which ${task} does not have`;
  return name === 'merged' && !hasArrays ? `{{merged}} needs merge.array, which ${task} does not have` : null;
}

function unknown(name: string, known: readonly string[], { kind }: TemplateContext): string {
  if (kind === 'system' && /^document\b/.test(name)) {
    return `{{${name}}} belongs into the prompt: a document is not to be trusted with the system message`;
  }
  if (kind === 'reduce' && name === 'document') {
    return '{{document}} cannot stand in merge.reduce: only documents that do not fit the model are read in parts. Use {{answers}}';
  }
  return `unknown variable {{${name}}}. Known: ${known.join(', ')}.${didYouMean(name, known)}`;
}

function looksLikePath(template: string): boolean {
  return !/\s/.test(template);
}

/**
 * Advice, not errors: providers cache what a prompt begins with, so a long text before the document makes every task pay for
 * the document anew; and each further `{{document}}` sends it once more.
 */
export function templateAdvice({ template, file, start, exact }: TemplateText, { field }: TemplateContext): string[] {
  const parts = parseTemplate(template);
  const documents = parts.flatMap((part, index) => (isDocument(part) ? [{ index, offset: part.offset }] : []));
  const [first, second] = documents;
  const at = (offset: number) => {
    const { line, column } = positionAt(file, exact ? start + offset : start);
    return `${file.name}:${line}:${column}: ${dottedOf(field)}`;
  };
  return [
    ...(first !== undefined && written(parts.slice(0, first.index)) > written(parts.slice(first.index + 1))
      ? [`${at(first.offset)}: put the document before the question: providers cache the prefix`]
      : []),
    ...(second === undefined
      ? []
      : [`${at(second.offset)}: {{document}} stands in it ${documents.length} times, so it is sent and paid as often`]),
  ];
}

function isDocument(part: TemplatePart): part is Exclude<TemplatePart, string> {
  return typeof part !== 'string' && part.name === 'document';
}

/** Characters of the template's own text. */
function written(parts: readonly TemplatePart[]): number {
  return parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.trim().length : 0), 0);
}
