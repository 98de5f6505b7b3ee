import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';

/** Where a run's files are said to be, by a database that may be a copy. Paths of databases are without links. */
export type RunPlace = {
  readonly runId: string;
  readonly outDir: string;
  /** The database that was told of `outDir`; `null` where an older version was. */
  readonly writtenFrom: string | null;
  /** This one. */
  readonly database: string;
};

/**
 * The folder of a run's files, if it is provably this database's: the one that this database itself was told of, or the one that lies
 * below this database's folder as `outDir` lay below the other's: it was moved, or copied, with it. A folder that the other database
 * still uses is that one's. `null`: no folder is provably this database's.
 */
export function ownFolder({ runId, outDir, writtenFrom, database }: RunPlace): string | null {
  // A folder of another name was never made by a run.
  if (basename(outDir) !== runId || writtenFrom === null) return null;
  if (writtenFrom === database) return outDir;
  const way = relative(dirname(writtenFrom), outDir);
  if (way.startsWith('..') || isAbsolute(way)) return null;
  const folder = join(dirname(database), way);
  const path = realPath(folder);
  const isOthers = existsSync(writtenFrom) && realPath(outDir) === path;
  return path === folder && !isOthers ? folder : null;
}

/** `null`: nothing is there, or it cannot be seen. */
function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
