import { issueProblems } from './issues.ts';
import { type Problem, sortedProblems } from './problem.ts';
import { valueAt } from './raw.ts';
import { referenceProblems } from './references.ts';
import { type ManifestInput, manifestSchema } from './schema.ts';
import { inlineSchemaProblems } from './schema-fields.ts';
import { secretProblems } from './secret-values.ts';
import { problemWithValue, type Source } from './source.ts';
import { parseSource } from './syntax.ts';

export type ParsedManifest =
  | { readonly ok: true; readonly manifest: ManifestInput }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Parses and checks a manifest without reading anything else. Gives every problem in one go, in the order of the text; never
 * throws, whatever the text is. The syntax follows from the ending of `fileName`, which is also its name in messages.
 */
export function parseManifest(text: string, fileName: string): ParsedManifest {
  const { manifest, problems } = inspectManifest(text, fileName);
  return manifest === null ? { ok: false, problems } : { ok: true, manifest };
}

/** What is known of a manifest: `source` as soon as its syntax can be read, `manifest` when there are no problems at all. */
export type Inspected = {
  readonly source: Source | null;
  readonly manifest: ManifestInput | null;
  readonly problems: readonly Problem[];
};

export function inspectManifest(text: string, fileName: string): Inspected {
  const { source, problems } = parseSource(text, fileName);
  if (source === null) return { source, manifest: null, problems };
  const newer = otherVersion(source);
  if (newer !== null) return { source: null, manifest: null, problems: [newer] };
  const result = manifestSchema.safeParse(source.value);
  const found = [
    ...problems,
    ...(result.success ? [] : issueProblems(source, result.error.issues)),
    ...referenceProblems(source),
    ...inlineSchemaProblems(source),
  ];
  const all = sortedProblems(withSecrets(found, secretProblems(source)));
  return { source, manifest: result.success && all.length === 0 ? result.data : null, problems: all };
}

/** A manifest of another version is not judged by the rules of this one. */
function otherVersion(source: Source): Problem | null {
  const version = valueAt(source.value, ['version']);
  if (typeof version !== 'number' || version <= 1 || !Number.isInteger(version)) return null;
  const what = `manifest version ${version} needs a newer aieval; this one reads version 1`;
  return problemWithValue(source, { code: 'E08', path: ['version'], what, hint: 'update aieval' });
}

/** Where a secret stands, that is the only thing to say. */
function withSecrets(found: readonly Problem[], secrets: readonly Problem[]): Problem[] {
  const places = new Set(secrets.map(({ path }) => path));
  return [...found.filter(({ path }) => !places.has(path)), ...secrets];
}
