import { canonicalJson, type Json, sha256Hex } from '../domain/canonical-json.ts';
import type { CheckSpec, ResolvedTask } from '../domain/manifest/resolved.ts';

/** Hash of all that decides on a task's answers once they are there. */
export function judgedByOf({ checks, aggregate, chunk, merge }: Pick<ResolvedTask, 'checks' | 'aggregate' | 'chunk' | 'merge'>): string {
  const parts = chunk === null ? {} : { chunk, merge };
  return sha256Hex(canonicalJson({ checks: checks.map(told), aggregate, ...parts }));
}

/** A field that came later is left out where it says what was done before it: an unfinished run of that time is the same run. */
function told(check: CheckSpec): Json {
  if (check.type !== 'evidence') return check;
  const { line, elided, absence, ...rest } = check;
  return {
    ...rest,
    ...(line === null ? {} : { line }),
    ...(elided === 'accept' ? {} : { elided }),
    ...(absence === 'review' ? {} : { absence }),
  };
}
