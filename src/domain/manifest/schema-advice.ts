import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Json } from '../canonical-json.ts';
import { dottedOf, type Path } from './path.ts';
import type { ResolvedManifest } from './resolved.ts';
import { keywordsOf } from './schema-keywords.ts';
import { placeOf, type Source } from './source.ts';

type NamedSchema = { readonly path: Path; readonly schema: Json };

/** Formats that no validator here knows: such a "format" is passed over, so a reader would trust a rule that never judges. One line each. */
export function schemaAdvice(source: Source, manifest: ResolvedManifest): string[] {
  return Object.values(manifest.tasks).flatMap((task) =>
    schemasOf(task).flatMap(({ path, schema }) =>
      unknownFormats(schema).map(
        ({ format, pointer }) =>
          `${placeOf(source, path)}: ${dottedOf(path)}: ${pointer} ${JSON.stringify(format)} is not known and not checked`,
      ),
    ),
  );
}

function schemasOf(task: ResolvedManifest['tasks'][string]): NamedSchema[] {
  const { id, output, checks } = task;
  const answer: NamedSchema[] = output.schema === null ? [] : [{ path: ['tasks', id, 'output', 'schema'], schema: output.schema }];
  const further = checks.flatMap((check, index): NamedSchema[] => {
    if (check.type === 'schema') return [{ path: ['tasks', id, 'checks', index, 'schema'], schema: check.schema }];
    return check.type === 'count' && check.where !== null ? [{ path: ['tasks', id, 'checks', index, 'where'], schema: check.where }] : [];
  });
  return [...answer, ...further];
}

function unknownFormats(schema: Json): { format: string; pointer: string }[] {
  return keywordsOf(schema).flatMap(({ keyword, value, pointer }) =>
    keyword === 'format' && typeof value === 'string' && !Object.hasOwn(fullFormats, value) ? [{ format: value, pointer }] : [],
  );
}
