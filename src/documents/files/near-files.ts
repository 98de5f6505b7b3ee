import { extname } from 'node:path';
import { DOCUMENT_EXTENSIONS } from './document-extensions.ts';
import { globFiles } from './glob-files.ts';

/** The most frequent kind of document below a folder, for a message, such as `42 files end in .md`; of equals the first of the list. */
export async function nearFiles(baseDir: string): Promise<string> {
  const extensions = (await globFiles(baseDir, { include: '**/*', exclude: [] })).paths.map((path) => extname(path).toLowerCase());
  const counts = DOCUMENT_EXTENSIONS.map((ending) => ({
    extension: `.${ending}`,
    count: extensions.filter((found) => found === `.${ending}`).length,
  }));
  const [most] = counts.sort((a, b) => b.count - a.count);
  if (most === undefined || most.count === 0) return 'no documents below it';
  return most.count === 1 ? `1 file ends in ${most.extension}` : `${most.count} files end in ${most.extension}`;
}
