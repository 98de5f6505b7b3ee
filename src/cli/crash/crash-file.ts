import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliIo } from '../io.ts';
import { findState } from '../state-folder.ts';
import { packageVersion } from '../version.ts';
import { crashCommand } from './crash-command.ts';
import { crashError } from './crash-record.ts';

/** The command that met a bug, and who ran it. */
export type CrashScene = { readonly io: CliIo; readonly argv: readonly string[] };

/**
 * Writes what a person may send with a report of a bug: versions, the command without its values, where the error came from. No key, no
 * document's text and no message of an error is in it. It goes into the state folder, else into the folder for temporary files; returns
 * its path, or `null` where neither takes it.
 */
export function writeCrash(error: unknown, { io, argv }: CrashScene): string | null {
  const time = new Date(io.now()).toISOString();
  const { versions, platform, arch } = process;
  const record = {
    v: 1,
    time,
    version: packageVersion(),
    node: versions.node,
    platform: `${platform} ${arch}`,
    betterSqlite3: driverVersion(),
    command: crashCommand(argv),
    run: io.notes.runId,
    error: crashError(error),
  };
  const name = `crash-${time.replaceAll(':', '-')}.json`;
  const text = `${JSON.stringify(record, null, 2)}\n`;
  return (
    foldersFor(io)
      .map((folder) => join(folder, name))
      .find((path) => written(path, text)) ?? null
  );
}

/** Where the command's state is, else where a command without a manifest would look for it. */
function foldersFor(io: CliIo): string[] {
  const folder = io.notes.stateFolder ?? findState({ cwd: io.cwd, manifestPath: null, db: null, out: null }).folder;
  return [...(existsSync(folder) ? [folder] : []), tmpdir()];
}

function written(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // Full, read-only, no file descriptor left: the next folder may do, and the stack is printed in any case.
    if (error instanceof Error) return false;
    throw error;
  }
}

/** SQLite comes with the driver: the one version tells the other. The driver is not loaded for it, as it may be what broke. */
function driverVersion(): string | null {
  try {
    const path = createRequire(import.meta.url).resolve('better-sqlite3/package.json');
    const { version }: { version?: unknown } = JSON.parse(readFileSync(path, 'utf8'));
    return typeof version === 'string' ? version : null;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}
