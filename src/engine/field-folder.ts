import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { dottedOf, type Path } from '../domain/manifest/path.ts';
import { placeOf, type Source, spotOf } from '../domain/manifest/source.ts';

/** Where a manifest is: `cwd` as for messages, `baseDir` its own folder. Both absolute. */
export type FieldPlace = { readonly source: Source; readonly cwd: string; readonly baseDir: string };

/** Folder of the file in which the field stands: paths in it are relative to that. */
export function fieldFolder({ source, cwd }: Omit<FieldPlace, 'baseDir'>, field: Path): string {
  return resolve(cwd, dirname(spotOf(source, field).file.name));
}

/** A file outside the manifest's folder, and that of the file which names it, is not there for whoever gets only these. */
export function outsideWarning(place: FieldPlace, field: Path, value: string): string[] {
  const folder = fieldFolder(place, field);
  const path = resolve(folder, value);
  if (!isAbsolute(value) && (isBelow(folder, path) || isBelow(place.baseDir, path))) return [];
  return [`${placeOf(place.source, field)}: ${dottedOf(field)} ${JSON.stringify(value)} is outside the manifest's folder`];
}

function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith('../');
}
