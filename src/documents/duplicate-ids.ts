type Identified = { readonly documentId: string; readonly path: string; readonly index: number };

/** One problem for every id that stands for more than one file, at the last entry that brings it in. */
export function duplicateIds(files: readonly Identified[]): readonly { readonly index: number; readonly message: string }[] {
  const byId = new Map<string, Identified[]>();
  for (const file of files) byId.set(file.documentId, [...(byId.get(file.documentId) ?? []), file]);
  return [...byId].flatMap(([id, same]) => {
    if (same.length === 1) return [];
    const indices = [...new Set(same.map((file) => file.index))].sort((a, b) => a - b);
    const last = indices.at(-1) ?? 0;
    return [
      {
        index: last,
        message: `documents[${last}]: the id "${id}" stands for ${same.length} files: ${listed(same.map((file) => file.path))}`,
      },
    ];
  });
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).join(', ');
  return paths.length > 3 ? `${shown}, …` : shown;
}
