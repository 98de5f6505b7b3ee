/** The folder that all these paths stand in, with its `/`; empty when there is none. */
export function commonFolder(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  let folder = first.slice(0, first.lastIndexOf('/') + 1);
  for (const path of others) while (!path.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  return folder;
}
