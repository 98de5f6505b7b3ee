import { lstat, readdir, realpath, stat } from 'node:fs';
import { glob } from 'tinyglobby';

/** What lies in folders and is no document: dependencies, marks of Windows downloads, locks and leftovers of editors. */
const JUNK = ['**/node_modules/**', '**/*:Zone.Identifier', '**/*.Zone.Identifier', '**/~$*', '**/*~', '**/Thumbs.db', '**/desktop.ini'];

export type GlobResult = {
  /** Absolute, sorted; links that lead nowhere among them. */
  readonly paths: readonly string[];
  /** Folders in which matches may lie, but which could not be listed, with the error's code. */
  readonly closedFolders: readonly { readonly path: string; readonly code: string }[];
};

/** The files that a glob matches below (or, with `..`, beside) a folder; never dot-files or known junk. */
export async function globFiles(baseDir: string, globs: { include: string; exclude: readonly string[] }): Promise<GlobResult> {
  const closed = new Map<string, string>();
  const paths = await glob([globs.include], {
    cwd: baseDir,
    ignore: [...JUNK, ...globs.exclude],
    absolute: true,
    dot: false,
    onlyFiles: true,
    expandDirectories: false,
    fs: tellingFs((path, code) => closed.set(path, code)),
  });
  // The order of a folder's entries differs between file systems.
  const closedFolders = [...closed].map(([path, code]) => ({ path, code })).sort((a, b) => (a.path < b.path ? -1 : 1));
  return { paths: paths.sort(), closedFolders };
}

/** The globber is silent about folders that it cannot list and drops links that lead nowhere: here the first are told, the second kept. */
function tellingFs(onClosed: (path: string, code: string) => void) {
  return {
    readdir: onFailure(readdir, (path, error, done) => {
      const code = error.code ?? error.name;
      // A folder that is not there holds nothing. One whose name is no UTF-8 is there, under a name that nobody can say.
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || path.includes('\ufffd')) onClosed(path.replace(/(?<=.)\/$/, ''), code);
      done(error);
    }),
    realpath: onFailure(realpath, (path, _error, done) => done(null, path)),
    stat: onFailure(stat, (path, _error, done) => lstat(path, done)),
  };
}

type Done = (error: Error | null, result?: unknown) => void;

/** A function of `node:fs` whose failure `instead` answers. A proxy, because nothing else has the overloads of the original. */
function onFailure<Fn extends typeof readdir | typeof realpath | typeof stat>(
  original: Fn,
  instead: (path: string, error: NodeJS.ErrnoException, done: Done) => void,
): Fn {
  return new Proxy(original, {
    apply(target, self, args: readonly unknown[]) {
      const callback = args.at(-1);
      if (typeof callback !== 'function') throw new TypeError('Expected a callback as the last argument');
      const done: Done = (error, result) => Reflect.apply(callback, undefined, [error, result]);
      const settle: Done = (error, result) => (error === null ? done(null, result) : instead(String(args[0]), error, done));
      Reflect.apply(target, self, [...args.slice(0, -1), settle]);
    },
  });
}
