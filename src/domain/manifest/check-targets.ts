import type { Json } from '../canonical-json.ts';
import { dottedOf, type Path } from './path.ts';
import type { Problem } from './problem.ts';
import { entriesAt, itemsAt, valueAt } from './raw.ts';
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
    const schema = schemaOf(task);
    const checks = itemsAt(source.value, ['tasks', task, 'checks']);
    if (schema === null) return [];
    return checks.flatMap(([index, check]) =>
      pointersOf(check).flatMap((target) => targetProblem(source, schema, ['tasks', task, 'checks', index, target.field], target)),
    );
  });
}

type Pointer = { readonly field: string; readonly pointer: string; readonly stated: string };

function targetProblem(source: Source, schema: Json, path: Path, { pointer, stated }: Pointer): Problem[] {
  const end = deadEnd(schema, pointer);
  if (end === null) return [];
  const what = `${dottedOf(path)} ${JSON.stringify(stated)} leads to nothing that output.schema allows`;
  const known = end.known.length === 0 ? '' : `: "${end.segment}" is not in ${end.known.join(', ')}`;
  return [problemWithValue(source, { code: 'E09', path, what: `${what}${known}.${didYouMean(end.segment, end.known)}` })];
}

/** `page` starts at the object that holds the quote. */
function pointersOf(check: Json): Pointer[] {
  const at = valueAt(check, ['at']) ?? '';
  const page = valueAt(check, ['page']);
  if (typeof at !== 'string') return [];
  const own = { field: 'at', pointer: at, stated: at };
  if (valueAt(check, ['type']) !== 'evidence' || typeof page !== 'string') return [own];
  const parent = at.slice(0, Math.max(0, at.lastIndexOf('/')));
  return [own, { field: 'page', pointer: `${parent}${page}`, stated: page }];
}
