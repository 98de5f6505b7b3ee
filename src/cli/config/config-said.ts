import { dirname } from 'node:path';
import type { CliIo, ReadEnvFile } from '../io.ts';
import type { UserConfig } from './config-file.ts';
import { CONFIG_SETTINGS, fromEnvironment, type SettingKey, type SettingValues } from './config-settings.ts';

/** What was read before a command begins; `env` with the variables of files in it. */
export type SaidElsewhere = {
  readonly env: CliIo['env'];
  readonly envFiles: readonly ReadEnvFile[];
  readonly config: UserConfig;
};

/** What was said of a setting outside of the manifest, by whom, and how loud; `undefined`: nothing. */
export type Said<Value> = {
  readonly value: Value | undefined;
  readonly from: string;
  readonly by: 'flag' | 'variable' | 'config' | 'nobody';
  /** Of the file that says it, to which a path is relative; `null`: of the current folder. */
  readonly folder: string | null;
};

/** The loudest of flag, variable and user config. Throws `UserError` (E00) for a variable that cannot be meant. */
export function saidOf<Key extends SettingKey>(
  key: Key,
  flag: SettingValues[Key] | undefined,
  { env, envFiles, config }: SaidElsewhere,
): Said<SettingValues[Key]> {
  const { flag: name, variable } = CONFIG_SETTINGS[key];
  if (flag !== undefined) return { value: flag, from: `flag ${name}`, by: 'flag', folder: null };
  const stated = fromEnvironment(env, key);
  if (stated !== undefined) return { value: stated, ...placeOfVariable(variable, envFiles), by: 'variable' };
  const own = config.values[key];
  if (own !== undefined) return { value: own, from: `user config ${config.path}`, by: 'config', folder: folderOf(config.path) };
  return { value: undefined, from: 'default', by: 'nobody', folder: null };
}

function placeOfVariable(variable: string, envFiles: readonly ReadEnvFile[]): Pick<Said<unknown>, 'from' | 'folder'> {
  const path = envFiles.find(({ names }) => names.includes(variable))?.path ?? null;
  return { from: path === null ? variable : `${variable} in ${path}`, folder: folderOf(path) };
}

function folderOf(path: string | null): string | null {
  return path === null ? null : dirname(path);
}
