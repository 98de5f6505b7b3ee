import { oneLine } from '../../domain/hostile-text.ts';
import { type Named, unasked } from '../../engine/expand.ts';
import { counted } from '../terminal/format.ts';
import type { LoadedManifest } from './prepare.ts';

const MOST_NAMES = 5;

/** `1 document is asked by no task: docs/x.md (tags: papr)`, and the same of models: a slip in a tag or a rule would leave them out unseen. */
export function unaskedNotes({ manifest, documents }: Pick<LoadedManifest, 'manifest' | 'documents'>): string[] {
  const left = unasked(manifest, documents);
  return [...noteOf('document', left.documents.map(named)), ...unaskedModels(left.models)];
}

/** Of models alone: those of a manifest are named by nobody but its tasks. */
export function unaskedModels(models: readonly string[]): string[] {
  return noteOf(
    'model',
    models.map((model) => oneLine(model)),
  );
}

function named({ documentId, tags }: Named): string {
  return `${oneLine(documentId)}${tags.length === 0 ? '' : ` (tags: ${tags.map((tag) => oneLine(tag)).join(', ')})`}`;
}

function noteOf(kind: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, MOST_NAMES);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return [`${counted(names.length, kind)} ${names.length === 1 ? 'is' : 'are'} asked by no task: ${shown.join(', ')}${more}`];
}
