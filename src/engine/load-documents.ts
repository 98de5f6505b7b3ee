import { relative, sep } from 'node:path';
import { type FoundFile, findFiles } from '../documents/files/find-files.ts';
import type { Path } from '../domain/manifest/path.ts';
import type { Problem } from '../domain/manifest/problem.ts';
import { valueAt } from '../domain/manifest/raw.ts';
import { rebasedDocument, soundDocuments } from '../domain/manifest/resolve-documents.ts';
import type { DocumentEntry } from '../domain/manifest/resolved.ts';
import { problemWithValue, type Source, spotOf } from '../domain/manifest/source.ts';
import { type FieldPlace, fieldFolder } from './field-folder.ts';

/** Where `documents` is to be changed. */
export type DocumentList = {
  /** Name of the file in which it stands; `null`: the manifest itself. */
  readonly extended: string | null;
  /** Of that file, absolute: paths in the list are relative to it. */
  readonly folder: string;
  /** Entries of found files as the list has them. */
  readonly stated: ReadonlyMap<DocumentEntry, DocumentEntry>;
};

type LoadedDocuments = { readonly documents: readonly FoundFile[]; readonly list: DocumentList; readonly problems: readonly Problem[] };

/** Finds the files that a manifest's `documents` names; none is opened. Entries that are wrong in themselves are told elsewhere. */
export async function loadDocuments(place: FieldPlace): Promise<LoadedDocuments> {
  const { source, baseDir } = place;
  const sound = soundDocuments(source.value);
  const stated = new Map(sound.map(({ index, entry }) => [rebasedDocument(entry, folderOf(place, index)), entry]));
  const { files, problems } = await findFiles(baseDir, [...stated.keys()]);
  const { name } = spotOf(source, ['documents']).file;
  return {
    documents: files,
    list: { extended: name === source.file.name ? null : name, folder: fieldFolder(place, ['documents']), stated },
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
