import type { Json } from '../canonical-json.ts';
import { dottedOf, type Path } from './path.ts';
import type { Problem } from './problem.ts';
import { entriesAt, itemsAt, valueAt } from './raw.ts';
import { POINTER } from './schema-checks.ts';
import { deadEnd } from './schema-reach.ts';
import { problemWithValue, type Source } from './source.ts';
import { didYouMean } from './suggest.ts';

/**
 * Checks that look where no valid answer has anything: an `evidence` check with a slip in its pointer would always pass. `schemaOf`
 * gives the schema of a task's answers, `null` where there is none that can be used. Looks at the raw value, so that it speaks even
 * when other fields are wrong.
 */
export function checkTargetProblems(source: Source, schemaOf: (task: string) => Json | null): Problem[] {
  return entriesAt(source.value, ['tasks']).flatMap(([task]) => {
    const checks = itemsAt(source.value, ['tasks', task, 'checks']);
    if (valueAt(source.value, ['tasks', task, 'output', 'format']) === 'text') {
      return checks.flatMap(([index, check]) => partsOfText(source, ['tasks', task, 'checks', index], check));
    }
    const schema = schemaOf(task);
    if (schema === null) return [];
    return checks.flatMap(([index, check]) => firstDeadEnds(source, schema, ['tasks', task, 'checks', index], check));
  });
}

/** Where `at` leads nowhere, nothing beside it can be judged. */
function firstDeadEnds(source: Source, schema: Json, path: Path, check: Json): Problem[] {
  const problems = checkPointers(check).map((target) => targetProblem(source, schema, [...path, target.field], target));
  const [own = []] = problems;
  return own.length > 0 ? own : problems.flat();
}

/** A text has no parts: evidence would pass unchecked, and the others could never pass. */
function partsOfText(source: Source, path: Path, check: Json): Problem[] {
  const [first] = checkPointers(check).filter(({ pointer }) => pointer !== '');
  if (first === undefined) return [];
  const field = [...path, first.field];
  const what = `${dottedOf(field)} ${JSON.stringify(first.stated)} leads to nothing: an answer of output.format "text" is one text`;
  const hint = 'check the whole answer ("at": ""), or let the task answer in JSON ("format": "json")';
  return [problemWithValue(source, { code: 'E09', path: field, what, hint })];
}

/** A pointer of a check: as it is stated, and from the root of the answer. */
export type CheckPointer = { readonly field: string; readonly pointer: string; readonly stated: string };

function targetProblem(source: Source, schema: Json, path: Path, { pointer, stated }: CheckPointer): Problem[] {
  const end = deadEnd(schema, pointer);
  if (end === null) return [];
  const what = `${dottedOf(path)} ${JSON.stringify(stated)} leads to nothing that output.schema allows`;
  const known = end.known.length === 0 ? '' : `: "${end.segment}" is not in ${end.known.join(', ')}`;
  return [problemWithValue(source, { code: 'E09', path, what: `${what}${known}.${didYouMean(end.segment, end.known)}` })];
}

/** That of the check, then `page` and `line`, which start at the object that holds the quote. What is no pointer is told elsewhere. */
export function checkPointers(check: Json): CheckPointer[] {
  const at = valueAt(check, ['at']) ?? '';
  if (!isPointer(at)) return [];
  const own = { field: 'at', pointer: at, stated: at };
  if (valueAt(check, ['type']) !== 'evidence') return [own];
  const parent = at.slice(0, Math.max(0, at.lastIndexOf('/')));
  const beside = ['page', 'line'].flatMap((field) => {
    const stated = valueAt(check, [field]);
    return isPointer(stated) ? [{ field, pointer: `${parent}${stated}`, stated }] : [];
  });
  return [own, ...beside];
}

function isPointer(value: Json | undefined): value is string {
  return typeof value === 'string' && POINTER.test(value);
}
