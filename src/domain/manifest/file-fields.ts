import type { Json } from '../canonical-json.ts';
import type { Path } from './path.ts';
import { entriesAt, valueAt } from './raw.ts';
import { schemaFields } from './schema-fields.ts';

/** A field that names a file, or may name one. `maybe`: it does if such a file exists, else it is the text itself. */
export type FileField = {
  readonly kind: 'prompt' | 'system' | 'reduce' | 'schema' | 'cassette';
  readonly path: Path;
  readonly value: string;
  readonly names: 'file' | 'text' | 'maybe';
};

/** What a file field came to. `text` of prompts and other templates; paths are absolute. */
export type LoadedField =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'schema'; readonly schema: Json }
  | { readonly kind: 'cassette'; readonly path: string; readonly sha256: string };

const TEXT_FILE = /\.(?:md|txt)$/i;
const LONGEST_PATH = 1024;

/**
 * Whether a `prompt`, `system` or `reduce` is a path. Text of several lines, or with `{{`, is the text itself; what ends in `.md` or
 * `.txt` is a path, and the file must be there; anything else is a path if such a file exists.
 */
function pathOrText(value: string): FileField['names'] {
  if (value.length > LONGEST_PATH || value.includes('{{') || /[\r\n\0]/.test(value)) return 'text';
  return TEXT_FILE.test(value) ? 'file' : 'maybe';
}

/** All fields of a manifest that name files, in the order of the text. Looks at the raw value: other fields may be wrong. */
export function fileFields(manifest: Json): FileField[] {
  const field = (kind: FileField['kind'], path: Path): FileField[] => {
    const value = valueAt(manifest, path);
    if (typeof value !== 'string' || value === '') return [];
    return [{ kind, path, value, names: kind === 'schema' || kind === 'cassette' ? 'file' : pathOrText(value) }];
  };
  return [
    ...entriesAt(manifest, ['providers']).flatMap(([id]) => field('cassette', ['providers', id, 'cassette'])),
    ...entriesAt(manifest, ['tasks']).flatMap(([id]) => [
      ...field('prompt', ['tasks', id, 'prompt']),
      ...field('system', ['tasks', id, 'system']),
      ...field('reduce', ['tasks', id, 'merge', 'reduce']),
    ]),
    ...schemaFields(manifest).flatMap(({ path }) => field('schema', path)),
  ];
}
