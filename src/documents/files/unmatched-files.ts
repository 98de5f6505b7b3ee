import { basename, dirname, relative, sep } from 'node:path';
import { escapePath } from 'tinyglobby';
import type { DocumentEntry } from '../../domain/manifest/resolved.ts';
import { isNamedAsDocument } from './document-extensions.ts';
import type { FoundFile } from './find-files.ts';
import { globFiles } from './glob-files.ts';

/** Files beside documents that no entry names. `folder` relative to the manifest's, `.` for that itself; names sorted. */
export type Unmatched = { readonly folder: string; readonly names: readonly string[] };

/**
 * What looks like a document, lies in a folder from which a glob took some, and is none: a person may believe that it is evaluated. Files
 * that an entry leaves out with `exclude`, and those of `others` (absolute), are known to be none.
 */
export async function unmatchedFiles(
  baseDir: string,
  {
    files,
    entries,
    others,
  }: { readonly files: readonly FoundFile[]; readonly entries: readonly DocumentEntry[]; readonly others: ReadonlySet<string> },
): Promise<readonly Unmatched[]> {
  const folders = [...new Set(files.filter(({ entry }) => !entry.literal).map(({ path }) => dirname(path)))].sort();
  const known = new Set(files.map(({ path }) => path));
  const exclude = entries.flatMap((entry) => entry.exclude);
  const unmatched: Unmatched[] = [];
  for (const path of folders) {
    const folder = relative(baseDir, path).split(sep).join('/');
    const { paths } = await globFiles(baseDir, { include: folder === '' ? '*' : `${escapePath(folder)}/*`, exclude });
    const names = paths.filter((each) => isNamedAsDocument(each) && !known.has(each) && !others.has(each)).map((each) => basename(each));
    if (names.length > 0) unmatched.push({ folder: folder === '' ? '.' : folder, names });
  }
  return unmatched;
}

/** A path as a glob that matches it alone, whatever its name holds. */
export function globOf(path: string): string {
  return escapePath(path);
}
