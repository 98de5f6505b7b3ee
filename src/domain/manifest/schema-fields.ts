import type { Json } from '../canonical-json.ts';
import { jsonSchemaFault } from './json-schema-fault.ts';
import { dottedOf, type Path, pointerOf, segmentsOf } from './path.ts';
import type { Problem } from './problem.ts';
import { entriesAt, isObject, itemsAt, valueAt } from './raw.ts';
import { problemWithValue, type Source } from './source.ts';

/** Every place of a manifest where a JSON Schema, or the path of one, may stand. */
export function schemaFields(manifest: Json): { readonly path: Path; readonly value: Json }[] {
  return entriesAt(manifest, ['tasks']).flatMap(([task]) => {
    const checks = itemsAt(manifest, ['tasks', task, 'checks']).map(([index]): Path => ['tasks', task, 'checks', index]);
    const paths: Path[] = [
      ['tasks', task, 'output', 'schema'],
      ...checks.filter((check) => typeAt(manifest, check) === 'schema').map((check) => [...check, 'schema']),
      ...checks.filter((check) => typeAt(manifest, check) === 'count').map((check) => [...check, 'where']),
    ];
    return paths.flatMap((path) => {
      const value = valueAt(manifest, path);
      return value === undefined ? [] : [{ path, value }];
    });
  });
}

function typeAt(manifest: Json, check: Path): Json | undefined {
  return valueAt(manifest, [...check, 'type']);
}

/** What is wrong with the schemas that stand in the manifest itself. */
export function inlineSchemaProblems(source: Source): Problem[] {
  return schemaFields(source.value)
    .filter(({ value }) => isObject(value))
    .flatMap(({ path }) => schemaProblems(source, path, path));
}

/** What is wrong with the schema at `path` of a source; `field` is where the manifest names it. */
export function schemaProblems(source: Source, path: Path, field: Path): Problem[] {
  const fault = jsonSchemaFault(valueAt(source.value, path) ?? null);
  if (fault === null) return [];
  const place = indexed(source, path, segmentsOf(fault.pointer));
  const what = `${dottedOf(field)} is no JSON Schema that can be used: ${fault.pointer === '' ? '' : `${fault.pointer} `}${fault.message}`;
  return [{ ...problemWithValue(source, { code: 'E07', path: place, what }), path: pointerOf(field) }];
}

/** Follows pointer segments below `path`, as far as they lead. */
function indexed(source: Source, path: Path, segments: readonly string[]): Path {
  const here = [...path];
  for (const segment of segments) {
    const next = Array.isArray(valueAt(source.value, here)) ? Number(segment) : segment;
    if (valueAt(source.value, [...here, next]) === undefined) break;
    here.push(next);
  }
  return here;
}
