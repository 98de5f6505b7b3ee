import type { FoundFile } from '../../documents/files/find-files.ts';
import { UserError } from '../../domain/errors.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { nearest } from '../../domain/nearest.ts';
import type { Selection } from '../../domain/selection.ts';
import { countJobs, nameTest, ruleTest } from '../../engine/expand.ts';
import { tooManyJobs } from '../../engine/plan.ts';
import type { SelectOptions } from '../commands/options.ts';
import { EXIT } from '../exit-codes.ts';
import { selectedOptions } from '../jobs/part-text.ts';
import { counted } from '../terminal/format.ts';
import { shellWord } from '../terminal/shell-word.ts';

/** What `--document`, `--task`, `--model` and `--first` took of a manifest. */
export type Selected = { readonly selection: Selection; readonly jobs: number; readonly allJobs: number };

/** The selection that the options state; `null` without one. */
function selectionOf({ document = [], task = [], model = [], first }: SelectOptions): Selection | null {
  if (document.length + task.length + model.length === 0 && first === undefined) return null;
  return { document, task, model, first: first ?? null };
}

type SelectInput = {
  readonly manifest: ResolvedManifest;
  /** As a person would type it. */
  readonly manifestPath: string;
  readonly documents: readonly FoundFile[];
  /** Who stated `maxJobs`; `null`: nobody. */
  readonly maxJobsFrom?: string | null;
};

/**
 * The documents that the meant jobs need, before any is read. Throws `UserError` for a task or a model
 * that is not there (E32, exit 2), when no job is left (E29, exit 5), and when there are more than `maxJobs` (E27, exit 2).
 */
export function selectJobs(
  { manifest, manifestPath, documents, maxJobsFrom = null }: SelectInput,
  options: SelectOptions,
): { readonly documents: readonly FoundFile[]; readonly selected: Selected | null; readonly warnings: readonly string[] } {
  const selection = selectionOf(options);
  if (selection !== null) mustName(manifest, manifestPath, selection);
  const { needed, selectedJobs, allJobs } = countJobs(manifest, documents, selection);
  if (allJobs === 0) throw nothingToDo(manifestPath);
  if (selection !== null && selectedJobs === 0) throw nothingSelected({ manifestPath, documents }, selection, allJobs);
  if (selectedJobs > manifest.maxJobs) {
    throw tooManyJobs({ most: manifest.maxJobs, jobs: selectedJobs }, { said: maxJobsFrom, isPart: selection !== null });
  }
  const read = documents.filter((document) => needed.has(document));
  if (selection === null) return { documents: read, selected: null, warnings: [] };
  return {
    documents: read,
    selected: { selection, jobs: selectedJobs, allJobs },
    warnings: idleRules(selection, documents),
  };
}

/** `12 of 420 jobs selected: --document 'specs/**' --first 12`. */
export function selectedText({ selection, jobs, allJobs }: Selected): string {
  return `${jobs} of ${counted(allJobs, 'job')} selected: ${selectedOptions({ selection })}`;
}

const SUGGESTIONS = 3;

function mustName({ tasks, models }: ResolvedManifest, manifestPath: string, selection: Selection): void {
  const kinds = { task: Object.keys(tasks), model: Object.keys(models) };
  for (const kind of ['task', 'model'] as const) {
    const unknown = selection[kind].find((glob) => !kinds[kind].some(nameTest([glob])));
    if (unknown !== undefined) throw noSuch(kind, unknown, kinds[kind], manifestPath);
  }
}

function noSuch(kind: 'task' | 'model', glob: string, known: readonly string[], manifestPath: string): UserError {
  const closest = nearest(glob, known, SUGGESTIONS);
  const message = `${manifestPath} has no ${kind} "${oneLine(glob)}". Closest: ${closest.map((each) => oneLine(each)).join(', ')}`;
  const next = [`aieval plan ${shellWord(manifestPath)} --${kind} ${shellWord(closest[0] ?? '')}`];
  return new UserError({ code: 'E32', exitCode: EXIT.usage, message, next });
}

function nothingToDo(manifestPath: string): UserError {
  const next = ['look at "documents", "tasks.*.documents" and "matrix" in the manifest'];
  return new UserError({ code: 'E29', exitCode: EXIT.empty, message: `${manifestPath} selects no job`, next });
}

function nothingSelected({ manifestPath, documents }: Omit<SelectInput, 'manifest'>, selection: Selection, allJobs: number): UserError {
  const matched = selection.document.length === 0 ? documents : documents.filter(ruleTest(selection.document));
  const what = `0 of ${counted(allJobs, 'job')} match ${selectedOptions({ selection: { ...selection, first: null } })}`;
  const why = matched.length > 0 ? 'each of these matches some, but none all of them' : whatThereIs(selection.document, documents);
  return new UserError({
    code: 'E29',
    exitCode: EXIT.empty,
    message: `${what}: ${why}`,
    next: [`aieval plan ${shellWord(manifestPath)} --list`],
  });
}

/** The documents, those first that are called nearly like what was asked for, and the tags. */
function whatThereIs(rules: readonly string[], documents: readonly FoundFile[]): string {
  const ids = documents.map(({ documentId }) => documentId);
  const shown = nearest(rules[0] ?? '', ids, SUGGESTIONS).map((id) => oneLine(id));
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '';
  const tags = [...new Set(documents.flatMap((document) => document.tags))].sort();
  const tagged = tags.length === 0 ? '' : `; tags: ${tags.map((tag) => oneLine(tag)).join(', ')}`;
  return `documents are ${shown.join(', ')}${more}${tagged}`;
}

/** What was asked for beside others and is not there. */
function idleRules({ document }: Selection, documents: readonly FoundFile[]): string[] {
  return document
    .filter((rule) => !documents.some(ruleTest([rule])))
    .map((rule) => `--document ${shellWord(oneLine(rule))} matches no document`);
}
