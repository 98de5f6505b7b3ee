import picomatch from 'picomatch';
import type { MatrixRule, ResolvedManifest, ResolvedModel, ResolvedTask } from '../domain/manifest/resolved.ts';
import type { Selection } from '../domain/selection.ts';

/** A document by what selects it; its file need not be read. */
export type Named = { readonly documentId: string; readonly tags: readonly string[] };

/** What a model is asked about a document; each repeat becomes a job. */
export type ExpandedQuestion<Document extends Named> = {
  readonly document: Document;
  readonly task: ResolvedTask;
  readonly model: ResolvedModel;
  readonly repeats: number;
};

type Expandable = Pick<ResolvedManifest, 'tasks' | 'models' | 'matrix'>;

/**
 * Expands documents × tasks × models, minus `matrix.exclude`, then only `matrix.only`, then what `selection` (`null`: all) names; in plan
 * order, which repeats end.
 */
export function* expandQuestions<Document extends Named>(
  manifest: Expandable,
  documents: readonly Document[],
  selection: Selection | null,
): Generator<ExpandedQuestion<Document>> {
  const isMeant = selectionTest(selection);
  let left = selection?.first ?? Number.POSITIVE_INFINITY;
  for (const { document, task, model } of questions(manifest, documents)) {
    if (left === 0) return;
    if (!isMeant(document, task.id, model.id)) continue;
    const repeats = Math.min(task.repeats, left);
    left -= repeats;
    yield { document, task, model, repeats };
  }
}

/** How many jobs the questions become, how many there are without the selection, and the documents that are asked about. */
export function countJobs<Document extends Named>(
  manifest: Expandable,
  documents: readonly Document[],
  selection: Selection | null,
): { readonly selectedJobs: number; readonly allJobs: number; readonly needed: ReadonlySet<Document> } {
  const needed = new Set<Document>();
  let [allJobs, selectedJobs] = [0, 0];
  for (const { task } of questions(manifest, documents)) allJobs += task.repeats;
  for (const { document, repeats } of expandQuestions(manifest, documents, selection)) {
    selectedJobs += repeats;
    needed.add(document);
  }
  return { selectedJobs, allJobs, needed };
}

/** Documents, and ids of models, that no task asks, whatever is selected. */
export function unasked<Document extends Named>(
  manifest: Expandable,
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
  { tasks, models, matrix }: Expandable,
  documents: readonly Document[],
): Generator<Omit<ExpandedQuestion<Document>, 'repeats'>> {
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
