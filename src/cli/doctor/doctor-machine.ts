import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isServer } from '../../store/location.ts';
import type { Inspection } from '../../store/maintenance.ts';
import { readUserConfig } from '../config/config-file.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findState } from '../state-folder.ts';
import { isoTime } from '../terminal/format.ts';
import { isCi, usableColumns } from '../terminal/look.ts';
import { proxyVariables } from './proxies.ts';

/** What of this machine and this process a run depends on, apart from the storage. `spools` are the folders that take answers in need. */
export async function inspectMachine(io: CliIo, globals: Globals, spools: readonly string[]): Promise<Inspection[]> {
  const { path } = await readUserConfig(io);
  return [
    folders(io, globals, spools),
    clock(io.now(), statSync(fileURLToPath(import.meta.url)).mtimeMs),
    proxies(io.env),
    ci(io.env),
    config(path, globals),
    terminal(io, globals),
  ];
}

function folders(io: CliIo, globals: Globals, spools: readonly string[]): Inspection {
  const place = findState({ cwd: io.cwd, manifestPath: null, db: globals.db, out: globals.out });
  const refused = [...new Set([...(isServer(place.db) ? [] : [dirname(place.db)]), place.runs, tmpdir(), ...spools])].flatMap(
    (folder) => refusal(folder) ?? [],
  );
  if (refused.length === 0) return ok('folders', 'state, runs, spool and temporary folders can be written');
  const next = ['--db <path> and --out <dir> in folders that you may write; TMPDIR=<dir> moves the temporary one'];
  return { check: 'folders', status: 'problem', message: `cannot be written: ${refused.join(', ')}`, next };
}

/** What keeps a folder, or the one in which it would be made, from being written; `null`: nothing. */
function refusal(folder: string): string | null {
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    return statSync(nearest).isDirectory() ? null : `${nearest} (ENOTDIR)`;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return `${nearest} (${String(error.code)})`;
    throw error;
  }
}

const DAY_MS = 86_400_000;

/** Whether a clock can be believed: it is not before the program was put here. */
function clock(nowMs: number, installedMs: number): Inspection {
  const time = isoTime(nowMs);
  if (nowMs > installedMs - DAY_MS) return ok('clock', time);
  const message = `the clock says ${time}, before aieval was installed (${isoTime(installedMs)}): certificates, leases and budgets go by it`;
  return { check: 'clock', status: 'warning', message, next: ['set the clock: timedatectl set-ntp true'] };
}

function proxies(env: CliIo['env']): Inspection {
  const named = proxyVariables(env);
  if (named.length === 0) return ok('proxy', 'no proxy is asked for');
  const message = `${named.join(', ')} is set, and aieval connects without a proxy`;
  return {
    check: 'proxy',
    status: 'warning',
    message,
    next: ['let the endpoint be reached from here, or run a gateway and name it as baseUrl'],
  };
}

function ci(env: CliIo['env']): Inspection {
  if (!isCi(env)) return ok('ci', 'CI is not set');
  return ok('ci', 'CI is set: no panel, no .env, and keys of your own naming go only to loopback and to hosts that --allow-host names');
}

function config(path: string | null, { envFiles }: Globals): Inspection {
  const files = envFiles.map((file) => file.path);
  return ok('config', [path === null ? 'no user config' : `user config ${path}`, ...files].join(', '));
}

function terminal({ stderr }: CliIo, { colour, display }: Globals): Inspection {
  const look = `display ${display}, ${colour.stderr ? 'with' : 'without'} colour`;
  const message =
    stderr.isTTY === true ? `stderr is a terminal of ${usableColumns(stderr, 0)} columns: ${look}` : `stderr is no terminal: ${look}`;
  return ok('terminal', message);
}

function ok(check: string, message: string): Inspection {
  return { check, status: 'ok', message, next: [] };
}
