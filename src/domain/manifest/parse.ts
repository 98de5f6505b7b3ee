import { UPDATE_ADVICE } from '../update-advice.ts';
import { issueProblems } from './issues.ts';
import { withoutKeys } from './merge-sources.ts';
import { type Problem, sortedProblems } from './problem.ts';
import { type ChosenProfile, profileNames, profileProblems, withProfile } from './profiles.ts';
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

/**
 * What is known of a manifest: `source`, with the profile that was asked for put over it, as soon as its syntax can be read; `manifest` when
 * there are no problems at all.
 */
export type Inspected = {
  readonly source: Source | null;
  readonly manifest: ManifestInput | null;
  readonly problems: readonly Problem[];
};

/** The same of a text alone: what it `extends` is not read. */
function inspectManifest(text: string, fileName: string): Inspected {
  const { source, problems } = parseSource(text, fileName);
  if (source === null) return { source, manifest: null, problems };
  const newer = otherVersion(source);
  if (newer !== null) return { source: null, manifest: null, problems: [newer] };
  return inspectSource(source, { problems, profile: null });
}

/** Judges a manifest whose text is read, with what is known to be wrong with that; its profiles too, those that were not asked for as well. */
export function inspectSource(
  whole: Source,
  { problems, profile }: { readonly problems: readonly Problem[]; readonly profile: ChosenProfile | null },
): Inspected {
  const source = profile === null ? whole : withProfile(whole, profile.name);
  const { manifest, problems: found } = judged(source);
  const all = sortedProblems([...problems, ...found, ...profileProblems(whole, profile), ...otherProfiles(whole, profile)]);
  return { source, manifest: all.length === 0 ? manifest : null, problems: all };
}

/** What is wrong only when one of the profiles that were not asked for is put over the manifest. */
function otherProfiles(whole: Source, chosen: ChosenProfile | null): Problem[] {
  const names = profileNames(whole).filter((name) => name !== chosen?.name);
  if (names.length === 0) return [];
  const known = new Set(judged(whole).problems.map(({ message }) => message));
  return names.flatMap((name) =>
    judged(withProfile(whole, name))
      .problems.filter(({ message }) => !known.has(message))
      .map((problem) => ({ ...problem, message: `${problem.message} (with profile ${JSON.stringify(name)})` })),
  );
}

function judged(source: Source): { readonly manifest: ManifestInput | null; readonly problems: readonly Problem[] } {
  const result = manifestSchema.safeParse(source.value);
  const found = [
    ...(result.success ? [] : issueProblems(source, result.error.issues)),
    ...referenceProblems(source),
    ...inlineSchemaProblems(source),
  ];
  // Those of a profile are found where it is put over the manifest, as what they then are.
  const secrets = secretProblems(withoutKeys(source, ['profiles']));
  return { manifest: result.success ? result.data : null, problems: withSecrets(found, secrets) };
}

/** A manifest of another version is not judged by the rules of this one. */
export function otherVersion(source: Source): Problem | null {
  const version = valueAt(source.value, ['version']);
  if (typeof version !== 'number' || version <= 1 || !Number.isInteger(version)) return null;
  const what = `manifest version ${version} needs a newer aieval; this one reads version 1`;
  return problemWithValue(source, { code: 'E08', path: ['version'], what, hint: UPDATE_ADVICE });
}

/** Where a secret stands, that is the only thing to say. */
function withSecrets(found: readonly Problem[], secrets: readonly Problem[]): Problem[] {
  const places = new Set(secrets.map(({ path }) => path));
  return [...found.filter(({ path }) => !places.has(path)), ...secrets];
}
