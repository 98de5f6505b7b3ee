import type { Json } from '../canonical-json.ts';
import type { LoadedField } from './file-fields.ts';
import { type Path, pointerOf } from './path.ts';
import { resolveChecks } from './resolve-checks.ts';
import { resolveDocument } from './resolve-documents.ts';
import { resolveProviders } from './resolve-providers.ts';
import type { ChunkRule, MergeRule, ResolvedBudget, ResolvedManifest, ResolvedModel, ResolvedTask } from './resolved.ts';
import type { ManifestInput } from './schema.ts';
import { defaultOverlap } from './schema-parts.ts';

/** Loaded files by the JSON pointer of the field that names them. */
export type LoadedFields = ReadonlyMap<string, LoadedField>;

/** Puts the loaded files in their places. `folderName` is the name for want of another. Throws when a file was not loaded: a bug. */
export function resolveManifest(input: ManifestInput, loaded: LoadedFields, folderName: string): ResolvedManifest {
  return {
    version: 1,
    name: input.name ?? slug(folderName),
    documents: input.documents.map(resolveDocument),
    providers: resolveProviders(input.providers, (id) => cassetteAt(loaded, ['providers', id, 'cassette'])),
    models: mapEntries(input.models, resolveModel),
    tasks: mapEntries(input.tasks, (id, task) => resolveTask(id, task, loaded)),
    matrix: { exclude: input.matrix.exclude.map(resolveRule), only: input.matrix.only.map(resolveRule) },
    concurrency: input.concurrency,
    runConcurrency: input.runConcurrency ?? null,
    retry: input.retry,
    lease: input.lease,
    cache: { mode: input.cache.mode, ttlDays: input.cache.ttlDays ?? null, namespace: input.cache.namespace ?? null },
    gate: input.gate,
    budget: resolveBudget(input.budget),
    sample: input.sample ?? null,
    failFast: input.failFast ?? null,
    artifacts: input.artifacts,
    outputs: input.outputs,
    privacy: input.privacy,
    maxJobs: input.maxJobs,
    maxQueueDepth: input.maxQueueDepth ?? null,
  };
}

function mapEntries<From, To>(entries: { readonly [id: string]: From }, map: (id: string, value: From) => To): { [id: string]: To } {
  return Object.fromEntries(Object.entries(entries).map(([id, value]) => [id, map(id, value)]));
}

const NAME_CHARACTERS = 64;

function slug(folderName: string): string {
  const plain = folderName.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, NAME_CHARACTERS);
  return plain.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '') || 'manifest';
}

function resolveModel(id: string, model: ManifestInput['models'][string]): ResolvedModel {
  const { group = null, price = null, contextTokens = null } = model;
  return { ...model, id, group, price, contextTokens };
}

function resolveBudget(budget: ManifestInput['budget']): ResolvedBudget | null {
  if (budget === undefined) return null;
  const { usd = null, tokens = null, minutes = null, warnAt, group = null } = budget;
  return { usd, tokens, minutes, warnAt, group };
}

function resolveRule(rule: ManifestInput['matrix']['only'][number]) {
  return { document: rule.document ?? null, task: rule.task ?? null, model: rule.model ?? null };
}

function resolveTask(id: string, task: ManifestInput['tasks'][string], loaded: LoadedFields): ResolvedTask {
  const { schema, format, strict, reask } = task.output;
  const at = (...path: Path): Path => ['tasks', id, ...path];
  return {
    id,
    prompt: textAt(loaded, at('prompt'), task.prompt),
    system: task.system === undefined ? null : textAt(loaded, at('system'), task.system),
    vars: task.vars,
    output: { format, schema: schema === undefined ? null : schemaAt(loaded, at('output', 'schema'), schema), strict, reask },
    checks: resolveChecks(task.checks, (index, field, stated) => schemaAt(loaded, at('checks', index, field), stated)),
    documents: task.documents ?? null,
    models: task.models ?? null,
    repeats: task.repeats,
    aggregate: task.aggregate,
    priority: task.priority,
    chunk: resolveChunk(task.chunk),
    merge: resolveMerge(task.merge, (stated) => textAt(loaded, at('merge', 'reduce'), stated)),
  };
}

function resolveChunk(chunk: ManifestInput['tasks'][string]['chunk']): ChunkRule | null {
  if (chunk === undefined) return null;
  const { maxTokens = null, overlap = defaultOverlap(maxTokens) } = chunk;
  return { ...chunk, maxTokens, overlap };
}

function resolveMerge(merge: ManifestInput['tasks'][string]['merge'], textOf: (stated: string) => string): MergeRule | null {
  if (merge === undefined) return null;
  const { array = [], dedupe, reduce } = merge;
  return { array: [array].flat(), dedupe, reduce: reduce === undefined ? null : textOf(reduce) };
}

/** The file's text; for a field that names no file, the field's own. */
function textAt(loaded: LoadedFields, path: Path, stated: string): string {
  const field = loaded.get(pointerOf(path));
  return field?.kind === 'text' ? field.text : stated;
}

function schemaAt(loaded: LoadedFields, path: Path, stated: Json): Json {
  const field = loaded.get(pointerOf(path));
  if (field?.kind === 'schema') return field.schema;
  if (typeof stated === 'string') throw new Error(`${pointerOf(path)} was not loaded`);
  return stated;
}

function cassetteAt(loaded: LoadedFields, path: Path): { path: string; sha256: string } {
  const field = loaded.get(pointerOf(path));
  if (field?.kind !== 'cassette') throw new Error(`${pointerOf(path)} was not loaded`);
  return { path: field.path, sha256: field.sha256 };
}
