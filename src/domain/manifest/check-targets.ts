import { dottedOf, type Path } from './path.ts';
import type { Problem } from './problem.ts';
import type { CheckSpec, ResolvedTask } from './resolved.ts';
import { deadEnd } from './schema-reach.ts';
import { problemWithValue, type Source } from './source.ts';
import { didYouMean } from './suggest.ts';

/** Checks that look where no valid answer has anything: an `evidence` check with a slip in its pointer would always pass. */
export function checkTargetProblems(source: Source, task: ResolvedTask): Problem[] {
  const { schema } = task.output;
  if (schema === null) return [];
  return task.checks.flatMap((check, index) =>
    pointersOf(check).flatMap(({ field, pointer, stated }) => {
      const end = deadEnd(schema, pointer);
      if (end === null) return [];
      const path: Path = ['tasks', task.id, 'checks', index, field];
      const what = `${dottedOf(path)} ${JSON.stringify(stated)} leads to nothing that output.schema allows`;
      const known = end.known.length === 0 ? '' : `: "${end.segment}" is not in ${end.known.join(', ')}`;
      return [problemWithValue(source, { code: 'E09', path, what: `${what}${known}.${didYouMean(end.segment, end.known)}` })];
    }),
  );
}

type Pointer = { readonly field: string; readonly pointer: string; readonly stated: string };

/** `page` starts at the object that holds the quote. */
function pointersOf(check: CheckSpec): Pointer[] {
  const at = { field: 'at', pointer: check.at, stated: check.at };
  if (check.type !== 'evidence' || check.page === null) return [at];
  const parent = check.at.slice(0, Math.max(0, check.at.lastIndexOf('/')));
  return [at, { field: 'page', pointer: `${parent}${check.page}`, stated: check.page }];
}
