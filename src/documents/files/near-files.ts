import { extname } from 'node:path';
import { globFiles } from './glob-files.ts';

/** Extensions of files that a person may have meant by a document, in the order in which ties are told. */
const DOCUMENT_EXTENSIONS = ['.md', '.markdown', '.txt', '.html', '.htm', '.pdf', '.adoc', '.tex', '.docx'];

/** The most frequent kind of document below a folder, for a message, such as `42 files end in .md`. */
export async function nearFiles(baseDir: string): Promise<string> {
  const extensions = (await globFiles(baseDir, { include: '**/*', exclude: [] })).paths.map((path) => extname(path).toLowerCase());
  const counts = DOCUMENT_EXTENSIONS.map((extension) => ({ extension, count: extensions.filter((found) => found === extension).length }));
  const [most] = counts.sort((a, b) => b.count - a.count);
  if (most === undefined || most.count === 0) return 'no documents below it';
  return most.count === 1 ? `1 file ends in ${most.extension}` : `${most.count} files end in ${most.extension}`;
}
