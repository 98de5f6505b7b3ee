import type { FileProblem } from './file-problem.ts';
import { listedPaths } from './listed-paths.ts';

type Identified = { readonly documentId: string; readonly path: string; readonly index: number };

/** One problem for every id that stands for more than one file, at the last entry that brings it in. */
export function duplicateIds(files: readonly Identified[]): readonly FileProblem[] {
  const byId = new Map<string, Identified[]>();
  for (const file of files) byId.set(file.documentId, [...(byId.get(file.documentId) ?? []), file]);
  return [...byId].flatMap(([id, same]) => {
    if (same.length === 1) return [];
    const what = `gives the id ${JSON.stringify(id)}, which stands for ${same.length} files: ${listedPaths(same.map(({ path }) => path))}`;
    return [{ index: Math.max(...same.map(({ index }) => index)), what, hint: 'give each file an "id" of its own' }];
  });
}
