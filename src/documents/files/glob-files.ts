import { lstat, readdir, realpath, stat } from 'node:fs';
import { relative, resolve } from 'node:path';
import { glob } from 'tinyglobby';

/**
 * What lies in folders and is no document: dependencies, our own state, marks of Windows downloads and Mac archives, locks and
 * leftovers of editors.
 */
const JUNK = [
  '**/node_modules/**',
  '**/.aieval/**',
  '**/__MACOSX/**',
  '**/*:Zone.Identifier',
  '**/*.Zone.Identifier',
  '**/~$*',
  '**/*~',
  '**/Thumbs.db',
  '**/desktop.ini',
];

/** In every folder of a run, wherever `--out` put it. */
const MARK_OF_A_RUN = 'manifest.resolved.json';

export type GlobResult = {
  /** Absolute, sorted; links that lead nowhere among them. */
  readonly paths: readonly string[];
  /** Folders in which matches may lie, but which could not be listed, with the error's code. */
  readonly closedFolders: readonly { readonly path: string; readonly code: string }[];
  /** Folders of runs, in which nothing was looked for. */
  readonly runFolders: readonly string[];
};

/** The files that a glob matches below (or, with `..`, beside) a folder; never dot-files, known junk or what runs wrote. */
export async function globFiles(baseDir: string, globs: { include: string; exclude: readonly string[] }): Promise<GlobResult> {
  const closed = new Map<string, string>();
  const runFolders = new Set<string>();
  const paths = await glob([globs.include], {
    cwd: baseDir,
    ignore: [...JUNK, ...globs.exclude],
    absolute: true,
    dot: false,
    onlyFiles: true,
    expandDirectories: false,
    fs: tellingFs({
      onClosed: (path, code) => closed.set(path, code),
      isLeftOut: (path, entries) => {
        // A manifest may stand in a copy of a run's folder, or below one: there everything is the user's.
        const isRun = entries.includes(MARK_OF_A_RUN) && relative(path, resolve(baseDir)).startsWith('..');
        if (isRun) runFolders.add(path);
        return isRun;
      },
    }),
  });
  // The order of a folder's entries differs between file systems.
  const closedFolders = [...closed].map(([path, code]) => ({ path, code })).sort((a, b) => (a.path < b.path ? -1 : 1));
  return { paths: paths.sort(), closedFolders, runFolders: [...runFolders].sort() };
}

type Watch = {
  readonly onClosed: (path: string, code: string) => void;
  readonly isLeftOut: (path: string, names: readonly string[]) => boolean;
};

/**
 * The globber is silent about folders that it cannot list and drops links that lead nowhere: here the first are told, the second kept.
 * It cannot judge a folder by what lies in it either.
 */
function tellingFs({ onClosed, isLeftOut }: Watch) {
  return {
    readdir: intercepted(readdir, {
      onFailure(path, error, done) {
        const code = error.code ?? error.name;
        // A folder that is not there holds nothing. One whose name is no UTF-8 is there, under a name that nobody can say.
        if ((code !== 'ENOENT' && code !== 'ENOTDIR') || path.includes('\ufffd')) onClosed(withoutSlash(path), code);
        done(error);
      },
      onSuccess: (path, result, done) => done(null, isLeftOut(withoutSlash(path), namesIn(result)) ? [] : result),
    }),
    realpath: intercepted(realpath, { onFailure: (path, _error, done) => done(null, path) }),
    stat: intercepted(stat, { onFailure: (path, _error, done) => lstat(path, done) }),
  };
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/$/, '');
}

function namesIn(entries: unknown): readonly string[] {
  if (!Array.isArray(entries)) return [];
  return entries.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'name' in entry ? String(entry.name) : String(entry),
  );
}

type Done = (error: Error | null, result?: unknown) => void;

type Answers = {
  readonly onFailure: (path: string, error: NodeJS.ErrnoException, done: Done) => void;
  readonly onSuccess?: (path: string, result: unknown, done: Done) => void;
};

/** A function of `node:fs` whose results these answers replace. A proxy, because nothing else has the overloads of the original. */
function intercepted<Fn extends typeof readdir | typeof realpath | typeof stat>(original: Fn, { onFailure, onSuccess }: Answers): Fn {
  return new Proxy(original, {
    apply(target, self, args: readonly unknown[]) {
      const callback = args.at(-1);
      if (typeof callback !== 'function') throw new TypeError('Expected a callback as the last argument');
      const path = String(args[0]);
      const done: Done = (error, result) => Reflect.apply(callback, undefined, [error, result]);
      const settle: Done = (error, result) => {
        if (error !== null) onFailure(path, error, done);
        else if (onSuccess === undefined) done(null, result);
        else onSuccess(path, result, done);
      };
      Reflect.apply(target, self, [...args.slice(0, -1), settle]);
    },
  });
}
