import type { Problem } from './problem.ts';
import { buildSource, type Source } from './source.ts';
import { type ParsedSyntax, parseJson } from './syntax-json.ts';
import { parseYaml } from './syntax-yaml.ts';
import { textFile } from './text-file.ts';

/** `source` is `null` when the text has no value at all; with problems it may still have one. */
export type SourceResult = { readonly source: Source | null; readonly problems: readonly Problem[] };

/** Parses by the name's ending: `.yaml` and `.yml`; `.jsonc`; everything else is JSON, which may hold comments only `withComments`. */
export function parseSource(text: string, fileName: string, withComments = /\.jsonc$/i.test(fileName)): SourceResult {
  const file = textFile(fileName, text);
  const { root, problems }: ParsedSyntax = /\.ya?ml$/i.test(fileName) ? parseYaml(file) : parseJson(file, withComments);
  if (root === null) return { source: null, problems };
  const built = buildSource(file, root);
  return { source: built.source, problems: [...problems, ...built.problems] };
}
