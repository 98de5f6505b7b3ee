import { mergeSources, sourceAt, withoutKeys } from './merge-sources.ts';
import type { Problem } from './problem.ts';
import { entriesAt, isObject } from './raw.ts';
import { OUTSIDE_PROFILES } from './schema.ts';
import { problemWithKey, type Source } from './source.ts';
import { didYouMean } from './suggest.ts';

/** The profile that was asked for, and how: `--profile`, `AIEVAL_PROFILE`. */
export type ChosenProfile = { readonly name: string; readonly by: string };

/** A few are read by people; each is judged on the whole manifest. */
const MOST_PROFILES = 100;

/** Names of the profiles that can be put over a manifest. */
export function profileNames(source: Source): readonly string[] {
  const sound = entriesAt(source.value, ['profiles']).filter(([, value]) => isObject(value));
  return sound.slice(0, MOST_PROFILES).map(([name]) => name);
}

/** The manifest with the profile of this name put over it. The profiles stay in it. */
export function withProfile(source: Source, name: string): Source {
  const profile = sourceAt(source, ['profiles', name]);
  return profile === null ? source : { ...mergeSources(source, withoutKeys(profile, OUTSIDE_PROFILES)), file: source.file };
}

/** What is wrong with profiles as such: one that is not there, fields that none can change, too many of them. */
export function profileProblems(source: Source, chosen: ChosenProfile | null): Problem[] {
  const all = entriesAt(source.value, ['profiles']);
  const names = profileNames(source);
  return [
    ...(chosen === null || names.includes(chosen.name) ? [] : [unknownProfile(source, chosen, names)]),
    ...names.flatMap((name) => fixedFields(source, name)),
    ...(all.length > MOST_PROFILES ? [tooMany(source)] : []),
  ];
}

function unknownProfile(source: Source, { name, by }: ChosenProfile, names: readonly string[]): Problem {
  const known =
    names.length === 0 ? 'the manifest has no profiles' : `it is not in profiles (${names.join(', ')}).${didYouMean(name, names)}`;
  return problemWithKey(source, { code: 'E09', path: ['profiles'], what: `${by} asks for profile ${JSON.stringify(name)}: ${known}` });
}

function fixedFields(source: Source, name: string): Problem[] {
  const fixed = entriesAt(source.value, ['profiles', name]).filter(([key]) => OUTSIDE_PROFILES.includes(key));
  return fixed.map(([key]) =>
    problemWithKey(source, { code: 'E04', path: ['profiles', name, key], what: `a profile cannot hold ${JSON.stringify(key)}` }),
  );
}

function tooMany(source: Source): Problem {
  return problemWithKey(source, { code: 'E07', path: ['profiles'], what: `profiles must be at most ${MOST_PROFILES}` });
}
