import { relative, sep } from 'node:path';
import { type FoundFile, findFiles } from '../documents/files/find-files.ts';
import type { Path } from '../domain/manifest/path.ts';
import type { Problem } from '../domain/manifest/problem.ts';
import { valueAt } from '../domain/manifest/raw.ts';
import { rebasedDocument, soundDocuments } from '../domain/manifest/resolve-documents.ts';
import type { DocumentEntry } from '../domain/manifest/resolved.ts';
import { problemWithValue, type Source } from '../domain/manifest/source.ts';
import { type FieldPlace, fieldFolder } from './field-folder.ts';

/** Finds the files that a manifest's `documents` names; none is opened. Entries that are wrong in themselves are told elsewhere. */
export async function loadDocuments(
  place: FieldPlace,
): Promise<{ readonly documents: readonly FoundFile[]; readonly problems: readonly Problem[] }> {
  const { source, baseDir } = place;
  const sound = soundDocuments(source.value);
  const entries = sound.map(({ index, entry }) => rebasedDocument(entry, folderOf(place, index)));
  const { files, problems } = await findFiles(baseDir, entries);
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

/** The `documents` of a resolved manifest, relative to its own folder whatever file they stand in. */
export function fromBaseDir(documents: readonly DocumentEntry[], place: FieldPlace): readonly DocumentEntry[] {
  return documents.map((entry, index) => rebasedDocument(entry, folderOf(place, index)));
}

function folderOf(place: FieldPlace, index: number): string {
  return relative(place.baseDir, fieldFolder(place, ['documents', index]))
    .split(sep)
    .join('/');
}
