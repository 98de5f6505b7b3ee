import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { errorCode } from '../../artifacts/storage-error.ts';
import { UserError } from '../../domain/errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import type { SettingValues } from './config-settings.ts';
import { isFile } from './is-file.ts';

/** What the user's own config file says; paths in it are relative to its folder. */
export type UserConfig = {
  /** Absolute; `null`: there is none. */
  readonly path: string | null;
  readonly values: Partial<SettingValues>;
};

export const NO_CONFIG: UserConfig = { path: null, values: {} };

const VARIABLE = 'AIEVAL_CONFIG';
const NAMES = ['config.json', 'config.jsonc'];

/**
 * Reads the user's config: the file that AIEVAL_CONFIG names, else `aieval/config.json` (or `.jsonc`) in `$XDG_CONFIG_HOME` or `~/.config`.
 * Throws `UserError` (exit 2) for a file that was named and is not there, and for whatever in it cannot be meant.
 */
export async function readUserConfig(io: CliIo): Promise<UserConfig> {
  const path = configPath(io);
  if (path === null) return NO_CONFIG;
  const text = readText(path);
  if (text.trim() === '') return { path, values: {} };
  const { parseUserConfig } = await import('./config-parse.ts');
  return { path, values: parseUserConfig(text, path) };
}

function configPath({ env, cwd }: CliIo): string | null {
  const named = env[VARIABLE] ?? '';
  if (named !== '') return resolve(cwd, named);
  const { XDG_CONFIG_HOME: xdg = '', HOME: home = '' } = env;
  const folder = isAbsolute(xdg) ? xdg : isAbsolute(home) ? join(home, '.config') : null;
  if (folder === null) return null;
  return NAMES.map((name) => join(folder, 'aieval', name)).find(isFile) ?? null;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const message = `cannot read the user config ${path} (${errorCode(cause)})`;
    throw new UserError({ code: 'E00', exitCode: EXIT.usage, message, next: [`unset ${VARIABLE}, or correct it`], cause });
  }
}
