import { glob } from 'tinyglobby';

/** What lies in folders and is no document: dependencies, marks of Windows downloads, locks and leftovers of editors. */
const JUNK = ['**/node_modules/**', '**/*:Zone.Identifier', '**/*.Zone.Identifier', '**/~$*', '**/*~', '**/Thumbs.db', '**/desktop.ini'];

/** Absolute paths, sorted, of the files that a glob matches below (or, with `..`, beside) a folder; never dot-files or known junk. */
export async function globFiles(baseDir: string, globs: { include: string; exclude: readonly string[] }): Promise<readonly string[]> {
  const paths = await glob([globs.include], {
    cwd: baseDir,
    ignore: [...JUNK, ...globs.exclude],
    absolute: true,
    dot: false,
    onlyFiles: true,
    expandDirectories: false,
  });
  // The order of a folder's entries differs between file systems.
  return paths.sort();
}
