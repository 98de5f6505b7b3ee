import { canonicalJson, type Json } from '../../domain/canonical-json.ts';
import type { ResolvedManifest, ResolvedModel, ResolvedTask } from '../../domain/manifest/resolved.ts';
import type { Selection } from '../../domain/selection.ts';
import { counted } from '../terminal/format.ts';

/** What a run's answers come from. */
export type RunSource = {
  readonly manifest: ResolvedManifest;
  readonly documents: readonly { readonly documentId: string; readonly textSha256: string | null }[];
  readonly selection: Selection | null;
};

/** What changed from one run to the next, each thing in a few words: `prompt of claims`, `document specs/auth.md`, `2 new documents`. */
export function changesSince(before: RunSource, after: RunSource): string[] {
  return [
    ...documentChanges(before, after),
    ...keyedChanges('task', before.manifest.tasks, after.manifest.tasks, taskChanges),
    ...keyedChanges('model', before.manifest.models, after.manifest.models, (old, now) => modelChanges(old, now, before, after)),
    ...(['matrix', 'sample'] as const).filter((part) => differs(before.manifest[part], after.manifest[part])),
    ...(before.manifest.cache.namespace === after.manifest.cache.namespace ? [] : ['cache.namespace']),
    ...(differs(before.selection, after.selection) ? [SELECTION] : []),
  ];
}

/** That other jobs of the manifest are meant. */
export const SELECTION = 'selection';

function documentChanges(before: RunSource, after: RunSource): string[] {
  const texts = new Map(before.documents.map(({ documentId, textSha256 }) => [documentId, textSha256]));
  const common = after.documents.filter(({ documentId }) => texts.has(documentId));
  const changed = common.filter(({ documentId, textSha256 }) => texts.get(documentId) !== textSha256);
  const [only] = changed;
  const told =
    only === undefined ? [] : [changed.length === 1 ? `document ${only.documentId}` : counted(changed.length, 'changed document')];
  // Another selection has other documents, which says nothing about the files.
  if (differs(before.selection, after.selection)) return told;
  const [added, removed] = [after.documents.length - common.length, before.documents.length - common.length];
  return [
    ...told,
    ...(added === 0 ? [] : [counted(added, 'new document')]),
    ...(removed === 0 ? [] : [`${counted(removed, 'document')} less`]),
  ];
}

type Keyed<Value> = { readonly [key: string]: Value };

function keyedChanges<Value>(
  noun: string,
  before: Keyed<Value>,
  after: Keyed<Value>,
  changes: (before: Value, after: Value) => readonly string[],
): string[] {
  const both = Object.entries(after).flatMap(([key, now]) => {
    const old = before[key];
    return old === undefined ? [`new ${noun} ${key}`] : changes(old, now);
  });
  const gone = Object.keys(before).filter((key) => after[key] === undefined);
  return [...both, ...gone.map((key) => `no ${noun} ${key}`)];
}

const TASK_PARTS = {
  prompt: ['prompt', 'system', 'vars'],
  output: ['output'],
  checks: ['checks', 'aggregate'],
  parts: ['chunk', 'merge'],
  jobs: ['documents', 'models', 'repeats'],
} as const satisfies { readonly [name: string]: readonly (keyof ResolvedTask)[] };

function taskChanges(before: ResolvedTask, after: ResolvedTask): string[] {
  return Object.entries(TASK_PARTS).flatMap(([name, fields]) =>
    fields.some((field) => differs(before[field], after[field])) ? [`${name} of ${after.id}`] : [],
  );
}

const MODEL_PARTS = ['model', 'params', 'structuredOutput', 'contextTokens'] as const satisfies readonly (keyof ResolvedModel)[];
const PROVIDER_PARTS = ['type', 'baseUrl', 'identity', 'cassette'] as const;

function modelChanges(old: ResolvedModel, now: ResolvedModel, before: RunSource, after: RunSource): string[] {
  const [from, to] = [before.manifest.providers[old.provider], after.manifest.providers[now.provider]];
  const moved = PROVIDER_PARTS.some((part) => differs(from?.[part], to?.[part]));
  return moved || MODEL_PARTS.some((part) => differs(old[part], now[part])) ? [`model ${now.id}`] : [];
}

function differs(one: unknown, other: unknown): boolean {
  return textOf(one) !== textOf(other);
}

/** Whatever came out of JSON, or may go there. */
function textOf(value: unknown): string {
  const json: Json = value === undefined ? null : JSON.parse(JSON.stringify(value));
  return canonicalJson(json);
}
