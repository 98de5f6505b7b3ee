import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../domain/errors.ts';
import { isServer, storePath } from '../store/location.ts';
import { NO_CONFIG, type UserConfig } from './config/config-file.ts';
import { type Said, type SaidElsewhere, saidOf } from './config/config-said.ts';
import type { LogFormat, SettingValues } from './config/config-settings.ts';
import { withPgVariables } from './config/pg-variables.ts';
import { EXIT } from './exit-codes.ts';
import type { CliIo, ReadEnvFile } from './io.ts';
import { type DisplayKind, displayKind, wantsColour } from './terminal/look.ts';

/** The options that every command takes, as the parser gives them. */
export type GlobalFlags = {
  readonly C?: string;
  readonly db?: string;
  readonly store?: string;
  readonly out?: string;
  readonly env?: readonly string[];
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  /** False with `--no-input`. */
  readonly input?: boolean;
  readonly display?: DisplayKind;
  readonly logFormat?: LogFormat;
  readonly trustFs?: boolean;
};

/** What the global options, the environment and the user config mean for a command. */
export type Globals = {
  /** Absolute path of the database, or URL of a server's, where one was named. */
  readonly db: string | null;
  /** Absolute path of the folder that takes the runs' files, where one was named. */
  readonly out: string | null;
  /** stdout holds JSON only. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** How a run shows its progress on stderr. With `json` it is `none`, unless a display was named. */
  readonly display: DisplayKind;
  /** How `plain` lines are written. */
  readonly logFormat: LogFormat;
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** For those who ask where a setting came from. */
  readonly said: SaidGlobally;
  readonly envFiles: readonly ReadEnvFile[];
};

/** What was said of the settings of every command. */
type SaidGlobally = {
  readonly [Key in 'db' | 'store' | 'out' | 'display' | 'logFormat' | 'noColor' | 'noInput' | 'trustFs']: Said<SettingValues[Key]>;
};

/** The work of one command: gets the world and the global options, returns the exit code. */
export type CommandWork = (io: CliIo, globals: Globals) => Promise<number>;

/**
 * Applies the global options: the `CliIo` is the given one, seen from the folder that `-C` names, with what flags and user config say in
 * the place of variables. Throws `UserError` for what cannot be meant.
 */
export function resolveGlobals(
  flags: GlobalFlags,
  given: CliIo,
  { envFiles, config }: Omit<SaidElsewhere, 'env'> = { envFiles: [], config: NO_CONFIG },
): { readonly io: CliIo; readonly globals: Globals } {
  const there = fromFolder(given, flags.C);
  const said = saidGlobally(flags, { env: there.env, envFiles, config });
  const io = { ...there, env: withSwitches(there.env, said, config) };
  const quiet = flags.quiet === true;
  const loud = said.display.by === 'flag';
  const display = loud || !(flags.json === true || quiet) ? (said.display.value ?? null) : flags.json === true ? 'none' : null;
  const noColour = said.noColor.value === true && !(said.noColor.by === 'config' && (io.env.FORCE_COLOR ?? '') !== '');
  const globals: Globals = {
    db: statedStore(said, io),
    out: statedPath(said.out, io.cwd),
    json: flags.json === true,
    quiet,
    display: displayKind(io.stderr, io.env, display, quiet),
    logFormat: said.logFormat.value ?? 'text',
    colour: { stdout: wantsColour(io.stdout, io.env, noColour), stderr: wantsColour(io.stderr, io.env, noColour) },
    said,
    envFiles,
  };
  return { io, globals };
}

function saidGlobally(flags: GlobalFlags, elsewhere: SaidElsewhere): SaidGlobally {
  const negated = (flag: boolean | undefined): true | undefined => (flag === false ? true : undefined);
  return {
    db: saidOf('db', flags.db, elsewhere),
    store: saidOf('store', flags.store, elsewhere),
    out: saidOf('out', flags.out, elsewhere),
    display: saidOf('display', flags.display, elsewhere),
    logFormat: saidOf('logFormat', flags.logFormat, elsewhere),
    noColor: saidOf('noColor', negated(flags.color), elsewhere),
    noInput: saidOf('noInput', negated(flags.input), elsewhere),
    trustFs: saidOf('trustFs', flags.trustFs, elsewhere),
  };
}

/** The world, seen from the folder that `-C` names. */
export function fromFolder(io: CliIo, folder: string | undefined): CliIo {
  if (folder === undefined) return io;
  refuseNoPath(folder, '-C');
  return { ...io, cwd: existingFolder(resolve(io.cwd, folder)) };
}

/** Those deep inside look into the environment for these. */
function withSwitches(env: CliIo['env'], { trustFs, noInput }: SaidGlobally, { values }: UserConfig): CliIo['env'] {
  const hosts = [env.AIEVAL_ALLOW_HOSTS ?? '', ...(values.allowHosts ?? [])].filter((each) => each !== '').join(',');
  return {
    ...env,
    ...(trustFs.value === undefined ? {} : { AIEVAL_TRUST_FS: trustFs.value ? '1' : '0' }),
    ...(noInput.value === undefined ? {} : { AIEVAL_NO_INPUT: noInput.value ? '1' : '0' }),
    ...(hosts === '' ? {} : { AIEVAL_ALLOW_HOSTS: hosts }),
  };
}

/** A path in a file is relative to the folder of that. Of a store of another kind nothing is repeated: it may hold a password. */
function statedPath({ value, folder, from }: Said<string>, cwd: string, plain = (path: string) => path): string | null {
  if (value === undefined || value === '') return null;
  const path = plain(value);
  refuseNoPath(path, from);
  return resolve(folder ?? cwd, path);
}

const URL_SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no path that a person means has one, and every line it is printed in would break.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** What cannot be meant as a path is not repeated: it may hold a password, or break the line. Throws `UserError` (E00). */
function refuseNoPath(path: string, from: string): void {
  const got = URL_SCHEME.test(path) ? 'a URL' : CONTROL.test(path) ? 'a line break or another control character in it' : null;
  if (got === null) return;
  throw new UserError({ code: 'E00', exitCode: EXIT.usage, message: `${from} must be a path, got ${got}`, next: ['aieval --help'] });
}

const LOUDNESS: readonly Said<unknown>['by'][] = ['nobody', 'config', 'variable', 'flag'];

/** What was said of the file and of the server. */
export type SaidOfStore = Pick<SaidGlobally, 'db' | 'store'>;

/** Of a file and a server the one that was named louder. Throws `UserError` (E00) where both were named alike, or the server is none. */
export function statedStore({ db, store }: SaidOfStore, { cwd, env }: Pick<CliIo, 'cwd' | 'env'>): string | null {
  const [file, named] = [statedPath(db, cwd, storePath), store.value ?? ''];
  const server = named === '' ? null : withPgVariables(named, env);
  if (server === null) return file;
  if (!isServer(server)) throw notAServer(store.from);
  if (file === null || LOUDNESS.indexOf(store.by) > LOUDNESS.indexOf(db.by)) return server;
  if (store.by !== db.by) return file;
  throw new UserError({
    code: 'E00',
    exitCode: EXIT.usage,
    message: `${db.from} and ${store.from} both name where runs are kept`,
    next: ['leave one of them out'],
  });
}

function notAServer(from: string): UserError {
  const next = ['--store postgres://user@host:5432/database', '--db <path of a SQLite file>'];
  return new UserError({ code: 'E00', exitCode: EXIT.usage, message: `${from} must be the URL of a PostgreSQL database`, next });
}

function existingFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new UserError({ code: 'E00', exitCode: EXIT.usage, message: `-C: ${path} is not a folder`, next: ['aieval --help'] });
}
