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
  /** Where the manifest names it: `tasks.<id>.prompt` or `tasks.<id>.system`. */
  readonly field: Path;
  readonly vars: readonly string[];
  readonly hasSchema: boolean;
};

/** Unknown variables, a schema that the task does not have, and a prompt without its document. */
export function templateProblems(text: TemplateText, context: TemplateContext): Problem[] {
  const { field } = context;
  const isPrompt = field.at(-1) === 'prompt';
  const known = [
    ...(isPrompt ? ['document', 'document.path', 'document.title'] : []),
    ...context.vars.map((name) => `vars.${name}`),
    'schema',
  ];
  const problem = (offset: number, what: string, hint: string | null = null) =>
    problemAt(text.file, text.exact ? text.start + offset : text.start, { code: 'E10', path: field, what, hint });

  const placeholders = parseTemplate(text.template).filter((part) => typeof part !== 'string');
  const problems = placeholders.flatMap(({ name, offset }) => {
    if (!known.includes(name)) return [problem(offset, unknown(name, known, isPrompt))];
    if (name === 'schema' && !context.hasSchema)
      return [problem(offset, `{{schema}} needs output.schema, which ${dottedOf(field.slice(0, 2))} does not have`)];
    return [];
  });
  if (!isPrompt || placeholders.some(({ name }) => name === 'document')) return problems;
  const hint = looksLikePath(text.template)
    ? 'if it is meant as a path: there is no such file'
    : 'put {{document}} where the text of the document belongs';
  return [...problems, problem(0, `${dottedOf(field)} does not contain {{document}}`, hint)];
}

function unknown(name: string, known: readonly string[], isPrompt: boolean): string {
  if (!isPrompt && /^document\b/.test(name)) {
    return `{{${name}}} belongs into the prompt: a document is not to be trusted with the system message`;
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
