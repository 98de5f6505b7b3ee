import { existsSync, mkdtempSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { makeFolders } from '../artifacts/make-folders.ts';
import { UserError } from '../domain/errors.ts';
import { isServer, shownLocation } from '../store/location.ts';
import { storeExists } from '../store/open.ts';
import { IN_SILENCE } from '../store/server-news.ts';
import { EXIT } from './exit-codes.ts';
import type { CliIo } from './io.ts';

const FOLDER = '.aieval';

export type StateRequest = {
  /** Absolute. */
  readonly cwd: string;
  /** Absolute path of the manifest, for commands that have one. */
  readonly manifestPath: string | null;
  /** `--db` or AIEVAL_DB, absolute. */
  readonly db: string | null;
  /** `--out`, absolute. */
  readonly out: string | null;
};

/** Where everything stands. All paths are absolute. */
export type StatePlace = {
  /** The `.aieval` folder: the one that was found, or the one to create. */
  readonly folder: string;
  readonly found: boolean;
  readonly db: string;
  readonly runs: string;
};

/**
 * Decides where the state is. Commands with a manifest look upwards from its folder, others from the current one. If there is
 * none, it belongs in the current folder when that contains the manifest, else beside the manifest. `db` moves the database, `out`
 * the runs' files, each alone.
 */
export function statePlace(request: StateRequest, isFolder: (path: string) => boolean): StatePlace {
  const { cwd, manifestPath, db, out } = request;
  const start = manifestPath === null ? cwd : dirname(manifestPath);
  const existing = upwards(start).find((folder) => isFolder(join(folder, FOLDER)));
  const folder = join(existing ?? (contains(cwd, start) ? cwd : start), FOLDER);
  return { folder, found: existing !== undefined, db: db ?? join(folder, 'aieval.db'), runs: out ?? join(folder, 'runs') };
}

/** The same, on this machine's disk. */
export function findState(request: StateRequest): StatePlace {
  return statePlace(request, (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

/**
 * Creates what is missing: the folder, with a `.gitignore` of its own so that it is never committed, and the database's folder.
 * The first use says on stderr where it is. A folder whose every content was moved elsewhere is not created. Throws `UserError`
 * (exit 8) when anything of it cannot be written, before there are answers to write.
 */
export function createState(io: CliIo, place: StatePlace): void {
  try {
    createFolder(io, place);
  } catch (cause) {
    throw unwritable(place.folder, cause);
  }
  try {
    if (!isServer(place.db)) makeFolders(dirname(place.db));
  } catch (cause) {
    throw unwritable(dirname(place.db), cause);
  }
  probeFolder(place.runs);
}

/** Creates the folder, and something in it, which alone proves that it can be written. Throws `UserError` (exit 8). */
export function probeFolder(folder: string): void {
  try {
    makeFolders(folder);
    rmdirSync(mkdtempSync(join(folder, '.probe-')));
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

function createFolder(io: CliIo, { folder, db, runs }: StatePlace): void {
  const [hasDatabase, hasFiles] = [db, runs].map((path) => path.startsWith(folder + sep));
  if (!hasDatabase && !hasFiles) return;
  if (makeStateFolder(folder)) io.stderr.write(`${hasDatabase ? 'Runs and answers' : 'Files of runs'} are kept in ${folder}\n`);
}

/** Whether it was not there. */
function makeStateFolder(folder: string): boolean {
  const isNew = makeFolders(folder) !== undefined;
  const ignoreFile = join(folder, '.gitignore');
  if (!existsSync(ignoreFile)) writeFileSync(ignoreFile, '*\n');
  return isNew;
}

/** Creates what is missing for files of runs alone: the database is a server's. Throws `UserError` (exit 8) where they cannot be written. */
export function createRunsFolder({ folder, runs }: StatePlace): void {
  try {
    if (runs.startsWith(folder + sep)) makeStateFolder(folder);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  probeFolder(runs);
}

/** For commands that only read: there must be a database already. */
export async function requireState(place: StatePlace, patience = IN_SILENCE): Promise<void> {
  if (await storeExists(place.db, patience)) return;
  if (isServer(place.db)) throw noRuns(shownLocation(place.db));
  const isNamed = !place.db.startsWith(place.folder + sep);
  throw new UserError({
    code: 'E30',
    exitCode: EXIT.usage,
    message: place.found || isNamed ? `${place.db} does not exist` : `no ${FOLDER} folder in ${dirname(place.folder)} or above it`,
    next: ['aieval run manifest.json', ...(isNamed ? [] : ['aieval -C <folder of the manifest> status', ON_A_SERVER])],
  });
}

/** For whoever is on another machine than the one that runs were planned on. */
const ON_A_SERVER = 'with --store URL, or AIEVAL_STORE, where the runs are kept on a server';

function noRuns(server: string): UserError {
  return new UserError({ code: 'E30', exitCode: EXIT.usage, message: `${server} holds no runs yet`, next: ['aieval run manifest.json'] });
}

function unwritable(folder: string, cause: unknown): UserError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  const next = ['the same command with --db <path> --out <dir>, both in a folder that you may write'];
  return new UserError({ code: 'E22', exitCode: EXIT.storage, message: `cannot write ${folder} (${code})`, next, cause });
}

function upwards(start: string): string[] {
  const folders = [resolve(start)];
  for (let folder = resolve(start); dirname(folder) !== folder; ) {
    folder = dirname(folder);
    folders.push(folder);
  }
  return folders;
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
}
