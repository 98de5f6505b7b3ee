import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { errorCode } from '../../artifacts/storage-error.ts';
import { UserError } from '../../domain/errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo, ReadEnvFile } from '../io.ts';
import { isCi } from '../terminal/look.ts';
import { isFile } from './is-file.ts';

export type FilledEnvironment = { readonly env: CliIo['env']; readonly read: readonly ReadEnvFile[] };

/**
 * The environment with the variables that files add to it; what the shell has set, also to nothing, stays as it is. The files are those of
 * `--env`, the later one first, for want of any the `.env` of each of `folders`, which are not read in CI. Throws `UserError` (E00)
 * for one that cannot be read.
 */
export function withEnvFiles(io: CliIo, given: readonly string[], folders: readonly string[]): FilledEnvironment {
  const paths = given.length > 0 ? given.map((path) => resolve(io.cwd, path)).reverse() : implied(io, folders);
  const env: Record<string, string | undefined> = { ...io.env };
  const read = paths.map((path): ReadEnvFile => {
    const added = Object.entries(variablesIn(path)).filter(([name]) => env[name] === undefined);
    for (const [name, value] of added) env[name] = value;
    return { path, names: added.map(([name]) => name) };
  });
  return { env, read };
}

/** Where a file of variables states one, the last time that it does; `null`: nowhere that can be told. */
export function lineOfVariable(text: string, name: string): number | null {
  const lines = text.split(/\r\n?|\n/);
  const index = lines.findLastIndex((line) => /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1] === name);
  return index === -1 ? null : index + 1;
}

function implied({ env }: CliIo, folders: readonly string[]): string[] {
  return isCi(env) ? [] : folders.map((folder) => join(folder, '.env')).filter(isFile);
}

function variablesIn(path: string): Record<string, string> {
  const text = textOf(path);
  const values = { ...parseEnv(text), ...valuesWithHash(text) };
  const entries = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const fault = entries.find(([name, value]) => !NAME.test(name) || isCutKey(value));
  if (fault !== undefined) throw noVariable(path, text, fault[0]);
  return Object.fromEntries(entries);
}

const VARIABLE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=(?:[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)|(.*))/gm;
/** The begin of a remark; of a value that begins with it only where a blank follows, too. */
const REMARK = /(?<=\s)#|^#(?=\s|$)/;

/** Node takes any # for the begin of a remark: half a password would be tried, and nobody told. Other readers want a blank before it. */
function valuesWithHash(text: string): Record<string, string> {
  const last = new Map(Array.from(text.matchAll(VARIABLE), ([, name = '', plain]) => [name, plain] as const));
  return Object.fromEntries(
    [...last].flatMap(([name, plain]) => (plain?.includes('#') === true ? [[name, withoutRemark(plain)] as const] : [])),
  );
}

function withoutRemark(value: string): string {
  const [plain = ''] = value.split(REMARK);
  return plain.trim();
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const next = ['name a file of lines such as NAME=value: --env <file>'];
    throw new UserError({
      code: 'E00',
      exitCode: EXIT.usage,
      message: `cannot read the environment file ${path} (${errorCode(cause)})`,
      next,
      cause,
    });
  }
}

const NAME = /^[A-Za-z_]\w*$/;

/** A key of several lines without quotation marks: what follows its first line would pass for names. */
function isCutKey(value: string): boolean {
  return value.startsWith('-----BEGIN') && !value.includes('-----END');
}

/** Nothing of the line is shown: it may be a piece of a secret. */
function noVariable(path: string, text: string, name: string): UserError {
  const line = text.slice(0, Math.max(0, text.indexOf(name))).split('\n').length;
  return new UserError({
    code: 'E00',
    exitCode: EXIT.usage,
    message: `${path}:${line}: is no line such as NAME=value`,
    next: ['write NAME="…", with quotation marks around a value of several lines'],
  });
}
