import type { Json } from '../canonical-json.ts';
import { dottedOf, type Path, pointerOf, segmentsOf } from './path.ts';
import type { Problem } from './problem.ts';
import { entriesAt, isObject, itemsAt, valueAt } from './raw.ts';
import { deadEnd, isNever, requiredOf } from './schema-reach.ts';
import { problemWithValue, type Source } from './source.ts';
import { didYouMean } from './suggest.ts';

/**
 * Merge rules that can give no valid answer: an array where the schema has none, or, without `reduce`, fields that every answer must
 * have and no joining gives. Says only what is certain. `schemaOf` as of `checkTargetProblems`.
 */
export function mergeProblems(source: Source, schemaOf: (task: string) => Json | null): Problem[] {
  return entriesAt(source.value, ['tasks']).flatMap(([task]) => {
    const path: Path = ['tasks', task, 'merge'];
    const schema = schemaOf(task);
    if (schema === null || !isObject(valueAt(source.value, path))) return [];
    const arrays = arraysOf(source, [...path, 'array']);
    const misled = arrays.flatMap(({ path: field, pointer }) => arrayProblem(source, schema, field, pointer));
    if (misled.length > 0 || arrays.length === 0 || valueAt(source.value, [...path, 'reduce']) !== undefined) return misled;
    const pointers = arrays.map(({ pointer }) => segmentsOf(pointer));
    return unjoined(schema, pointers).map((missing) => unjoinedProblem(source, path, missing));
  });
}

type StatedArray = { readonly path: Path; readonly pointer: string };

function arraysOf(source: Source, path: Path): StatedArray[] {
  const stated = valueAt(source.value, path);
  if (typeof stated === 'string') return [{ path, pointer: stated }];
  return itemsAt(source.value, path).flatMap(([index, pointer]) =>
    typeof pointer === 'string' ? [{ path: [...path, index], pointer }] : [],
  );
}

function arrayProblem(source: Source, schema: Json, path: Path, pointer: string): Problem[] {
  const what = `${dottedOf(path)} ${JSON.stringify(pointer)}`;
  const end = deadEnd(schema, pointer);
  if (end !== null) {
    const known = end.known.length === 0 ? '' : `: "${end.segment}" is not in ${end.known.join(', ')}`;
    const nothing = `${what} leads to nothing that output.schema allows${known}.${didYouMean(end.segment, end.known)}`;
    return [problemWithValue(source, { code: 'E09', path, what: nothing })];
  }
  return isNever(schema, pointer, 'array')
    ? [problemWithValue(source, { code: 'E09', path, what: `${what} is no array in output.schema` })]
    : [];
}

/** Pointers of what every answer must have, but what the arrays give. */
function unjoined(schema: Json, arrays: readonly (readonly string[])[], above: Path = []): string[] {
  const required = requiredOf(schema, pointerOf(above));
  return required.flatMap((name) => {
    const own = arrays.filter(([first]) => first === name).map((segments) => segments.slice(1));
    if (own.some((segments) => segments.length === 0)) return [];
    return own.length === 0 ? [pointerOf([...above, name])] : unjoined(schema, own, [...above, name]);
  });
}

function unjoinedProblem(source: Source, path: Path, pointer: string): Problem {
  const what = `${dottedOf(path)} needs "reduce" for ${pointer}: output.schema requires it, and only arrays are joined`;
  return problemWithValue(source, { code: 'E07', path, what, hint: 'add "reduce" with a prompt, or take it out of "required"' });
}
