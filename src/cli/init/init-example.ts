import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InitFile } from './init-files.ts';

/** Part of every installation. */
const QUICKSTART = fileURLToPath(new URL('../../../fixtures/quickstart/', import.meta.url));
const MANIFEST = 'manifest.json';
/** How the example is made and what it is for, in the repository. */
const NOT_COPIED: ReadonlySet<string> = new Set(['README.md', 'answers.json']);

/** The quickstart's files as they work in any folder, the manifest first. `schemaPath` as of `initFiles`. */
export function exampleFiles(schemaPath: string | null): readonly InitFile[] {
  const names = filesBelow('').filter((name) => name !== MANIFEST && !NOT_COPIED.has(name));
  const line = schemaPath === null ? '' : `  "$schema": ${JSON.stringify(schemaPath)},\n`;
  const manifest = readFileSync(join(QUICKSTART, MANIFEST), 'utf8').replace(/^ *"\$schema": "[^"]*",\n/m, () => line);
  return [{ path: MANIFEST, content: manifest }, ...names.map((path) => ({ path, content: readFileSync(join(QUICKSTART, path)) }))];
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(QUICKSTART, folder), { withFileTypes: true });
  const paths = entries.flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
  return paths.filter((path) => !path.split('/').some((part) => part.startsWith('.'))).sort();
}
