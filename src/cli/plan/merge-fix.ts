import { type MergeFailure, mergeFailureOf } from '../../domain/merge-failure.ts';

const FIXES: { readonly [failure in MergeFailure]: (task: string) => string } = {
  parts: (task) => `set ${task}.merge.reduce`,
  array: (task) => `change ${task}.output.schema or ${task}.chunk`,
  whole: (task) => `change ${task}.output.schema or ${task}.merge.reduce`,
};

/** What to change in the manifest where the answers to the parts make no answer together; `null` for other failures. */
export function mergeFix(task: string, message: string): string | null {
  const failure = mergeFailureOf(message);
  return failure === null ? null : FIXES[failure](`tasks.${task}`);
}
