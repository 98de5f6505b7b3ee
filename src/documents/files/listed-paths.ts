const SHOWN_PATHS = 3;

/** The first paths of many, quoted, so that a name with line breaks stays one line. */
export function listedPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN_PATHS).map((path) => JSON.stringify(path));
  return [...shown, ...(paths.length > SHOWN_PATHS ? [`and ${paths.length - SHOWN_PATHS} more`] : [])].join(', ');
}
