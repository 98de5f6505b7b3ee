import type { Json } from '../../domain/canonical-json.ts';
import { ManifestError } from '../../domain/manifest/manifest-error.ts';
import { type Problem, sortedProblems } from '../../domain/manifest/problem.ts';
import { entriesAt, isObject } from '../../domain/manifest/raw.ts';
import { problemWithKey, problemWithValue, type Source } from '../../domain/manifest/source.ts';
import { didYouMean } from '../../domain/manifest/suggest.ts';
import { parseSource } from '../../domain/manifest/syntax.ts';
import { CONFIG_SETTINGS, isSettingKey, type SettingKey, type SettingValues } from './config-settings.ts';

/** The settings in the text of a user config, JSON or JSONC. Throws `ManifestError` (exit 2) with every problem and its place. */
export function parseUserConfig(text: string, path: string): Partial<SettingValues> {
  // Comments are welcome whatever the name: nobody else reads this file.
  const { source, problems } = parseSource(text, path, true);
  const named = problems.map((problem): Problem => ({ ...problem, hint: null }));
  if (source === null) throw new ManifestError(named);
  return settingsOf(source, named);
}

function settingsOf(source: Source, problems: readonly Problem[]): Partial<SettingValues> {
  if (!isObject(source.value)) throw new ManifestError([wrong(source, [], 'the user config must be an object')]);
  const entries = entriesAt(source.value, []).filter(([key]) => key !== '$schema');
  const found = entries.flatMap(([key, value]) => problemOf(source, key, value));
  if (problems.length + found.length > 0) throw new ManifestError(sortedProblems([...problems, ...found]));
  return Object.fromEntries(entries.flatMap(([key, value]) => (isSettingKey(key) ? [[key, CONFIG_SETTINGS[key].fromJson(value)]] : [])));
}

function problemOf(source: Source, key: string, value: Json): Problem[] {
  if (!isSettingKey(key)) return [unknownKey(source, key)];
  const { fromJson, form } = CONFIG_SETTINGS[key];
  return fromJson(value) === null ? [wrong(source, [key], `${key} must be ${form}`)] : [];
}

function unknownKey(source: Source, key: string): Problem {
  const known: readonly string[] = Object.keys(CONFIG_SETTINGS) satisfies readonly string[];
  const advice = didYouMean(key, known) || ` Known: ${known.join(', ')}`;
  return problemWithKey(source, { code: 'E04', path: [key], what: `unknown key ${JSON.stringify(key)} in the user config.${advice}` });
}

function wrong(source: Source, path: readonly (SettingKey | string)[], what: string): Problem {
  return problemWithValue(source, { code: 'E07', path: [...path], what });
}
