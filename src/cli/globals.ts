import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../domain/errors.ts';
import { storePath } from '../store/open.ts';
import { EXIT } from './exit-codes.ts';
import type { CliIo } from './io.ts';
import { type DisplayKind, displayKind, wantsColour } from './terminal/look.ts';

/** The options that every command takes, as the parser gives them. */
export type GlobalFlags = {
  readonly C?: string;
  readonly db?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly display?: DisplayKind;
  readonly trustFs?: boolean;
};

/** What the global options and the environment mean for a command. */
export type Globals = {
  /** Absolute path of the database, where one was named. */
  readonly db: string | null;
  /** Absolute path of the folder that takes the runs' files, where one was named. */
  readonly out: string | null;
  /** stdout holds JSON only. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** How a run shows its progress on stderr. With `json` it is `none`, unless a display was named. */
  readonly display: DisplayKind;
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
};

/** The work of one command: gets the world and the global options, returns the exit code. */
export type CommandWork = (io: CliIo, globals: Globals) => Promise<number>;

/** Applies the global options: the `CliIo` is the given one, seen from the folder that `-C` names. */
export function resolveGlobals(flags: GlobalFlags, io: CliIo): { readonly io: CliIo; readonly globals: Globals } {
  const cwd = flags.C === undefined ? io.cwd : existingFolder(resolve(io.cwd, flags.C));
  const chosen = flags.display ?? (flags.json === true ? 'none' : null);
  const noColour = flags.color === false;
  const globals: Globals = {
    db: absolute(cwd, storePath(flags.db ?? io.env.AIEVAL_DB ?? '')),
    out: absolute(cwd, flags.out),
    json: flags.json === true,
    quiet: flags.quiet === true,
    display: displayKind(io.stderr, io.env, chosen, flags.quiet === true),
    colour: { stdout: wantsColour(io.stdout, io.env, noColour), stderr: wantsColour(io.stderr, io.env, noColour) },
  };
  const env = flags.trustFs === true ? { ...io.env, AIEVAL_TRUST_FS: '1' } : io.env;
  return { io: { ...io, cwd, env }, globals };
}

function absolute(cwd: string, path: string | undefined): string | null {
  return path === undefined || path === '' ? null : resolve(cwd, path);
}

function existingFolder(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new UserError({ code: 'E00', exitCode: EXIT.usage, message: `-C: ${path} is not a folder`, next: ['aieval --help'] });
}
