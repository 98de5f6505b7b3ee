import picomatch from 'picomatch';
import type { MatrixRule, ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import type { Selection } from '../domain/selection.ts';

/** A document by what selects it; its file need not be read. */
export type Named = { readonly documentId: string; readonly tags: readonly string[] };

/** What becomes a job. */
export type ExpandedJob<Document extends Named> = {
  readonly document: Document;
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly repeat: number;
};

export type Expanded<Document extends Named> = {
  /** Those that are selected, in plan order: document, task, model, repeat. */
  readonly selected: readonly ExpandedJob<Document>[];
  readonly selectedJobs: number;
  /** Jobs of the whole manifest. */
  readonly allJobs: number;
};

/**
 * Expands documents × tasks × models × repeats, minus `matrix.exclude`, then only `matrix.only`, then what `selection` (`null`: all)
 * names. All are counted; no more than `most` are kept.
 */
export function expandJobs<Document extends Named>(
  manifest: Pick<ResolvedManifest, 'tasks' | 'models' | 'matrix'>,
  documents: readonly Document[],
  selection: Selection | null,
  most: number,
): Expanded<Document> {
  const isMeant = selectionTest(selection);
  const selected: ExpandedJob<Document>[] = [];
  const limit = selection?.first ?? Number.POSITIVE_INFINITY;
  let [allJobs, selectedJobs] = [0, 0];
  for (const { document, task, model } of questions(manifest, documents)) {
    allJobs += task.repeats;
    if (!isMeant(document, task.id, model.id)) continue;
    const count = Math.min(task.repeats, limit - selectedJobs);
    for (let repeat = 0; repeat < count && selected.length < most; repeat += 1) selected.push({ document, task, model, repeat });
    selectedJobs += count;
  }
  return { selected, selectedJobs, allJobs };
}

/** Documents, and ids of models, that no task asks, whatever is selected. */
export function unasked<Document extends Named>(
  manifest: Pick<ResolvedManifest, 'tasks' | 'models' | 'matrix'>,
  documents: readonly Document[],
): { readonly documents: readonly Document[]; readonly models: readonly string[] } {
  const [askedDocuments, askedModels] = [new Set<Document>(), new Set<string>()];
  for (const { document, model } of questions(manifest, documents)) {
    askedDocuments.add(document);
    askedModels.add(model.id);
  }
  return {
    documents: documents.filter((document) => !askedDocuments.has(document)),
    models: Object.keys(manifest.models).filter((id) => !askedModels.has(id)),
  };
}

function* questions<Document extends Named>(
  { tasks, models, matrix }: Pick<ResolvedManifest, 'tasks' | 'models' | 'matrix'>,
  documents: readonly Document[],
): Generator<Omit<ExpandedJob<Document>, 'repeat'>> {
  const isInMatrix = matrixFilter(matrix);
  const asked = Object.values(tasks).map((task) => ({
    task,
    takes: task.documents === null ? () => true : ruleTest(task.documents),
    models: Object.values(models).filter(({ id }) => task.models === null || task.models.includes(id)),
  }));
  for (const document of documents) {
    for (const { task, takes, models: own } of asked) {
      if (!takes(document)) continue;
      for (const model of own) if (isInMatrix(document.documentId, task.id, model.id)) yield { document, task, model };
    }
  }
}

/** The selection as a test; a name with brackets or stars in it means itself, too. */
function selectionTest(selection: Selection | null): (document: Named, task: string, model: string) => boolean {
  if (selection === null) return () => true;
  const document = selection.document.length === 0 ? () => true : ruleTest(selection.document);
  const [task, model] = [selection.task, selection.model].map((globs) => (globs.length === 0 ? () => true : nameTest(globs)));
  return (named, taskId, modelId) => document(named) && (task?.(taskId) ?? true) && (model?.(modelId) ?? true);
}

/** Globs over ids or `tag:x`, any of which will do. */
export function ruleTest(rules: readonly string[]): (document: Named) => boolean {
  const tags = rules.filter((rule) => rule.startsWith(TAG)).map((rule) => rule.slice(TAG.length));
  const names = rules.filter((rule) => !rule.startsWith(TAG));
  const isNamed = nameTest(names);
  return ({ documentId, tags: own }) => own.some((tag) => tags.includes(tag)) || isNamed(documentId);
}

const TAG = 'tag:';

/** Globs, any of which will do, or the name itself. */
export function nameTest(globs: readonly string[]): (name: string) => boolean {
  const matches = picomatch([...globs]);
  return (name) => globs.includes(name) || matches(name);
}

function matrixFilter(matrix: ResolvedManifest['matrix']): (document: string, task: string, model: string) => boolean {
  const exclude = matrix.exclude.map(ruleMatcher);
  const only = matrix.only.map(ruleMatcher);
  return (document, task, model) =>
    !exclude.some((matches) => matches(document, task, model)) &&
    (only.length === 0 || only.some((matches) => matches(document, task, model)));
}

function ruleMatcher(rule: MatrixRule): (document: string, task: string, model: string) => boolean {
  const [document, task, model] = [rule.document, rule.task, rule.model].map((glob) => (glob === null ? () => true : picomatch(glob)));
  return (d, t, m) => (document?.(d) ?? true) && (task?.(t) ?? true) && (model?.(m) ?? true);
}
