import { type FoundFile, findFiles } from '../documents/files/find-files.ts';
import type { Path } from '../domain/manifest/path.ts';
import type { Problem } from '../domain/manifest/problem.ts';
import { valueAt } from '../domain/manifest/raw.ts';
import { soundDocuments } from '../domain/manifest/resolve-documents.ts';
import { problemWithValue, type Source } from '../domain/manifest/source.ts';

/** Finds the files that a manifest's `documents` names; none is opened. Entries that are wrong in themselves are told elsewhere. */
export async function loadDocuments(
  source: Source,
  baseDir: string,
): Promise<{ readonly documents: readonly FoundFile[]; readonly problems: readonly Problem[] }> {
  const sound = soundDocuments(source.value);
  const { files, problems } = await findFiles(
    baseDir,
    sound.map(({ entry }) => entry),
  );
  return {
    documents: files,
    problems: problems.flatMap(({ index, what, hint }) => {
      const place = sound[index]?.index ?? index;
      return problemWithValue(source, { code: 'E03', path: pathOf(source, place), what: `documents[${place}] ${what}`, hint });
    }),
  };
}

/** Where the entry names its file or glob. */
function pathOf(source: Source, index: number): Path {
  const entry: Path = ['documents', index];
  const named = ['path', 'include'].find((field) => valueAt(source.value, [...entry, field]) !== undefined);
  return named === undefined ? entry : [...entry, named];
}
