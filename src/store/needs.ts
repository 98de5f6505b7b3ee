import { covers, neededBy, needsOf, type TaskTags, tagsOf } from '../domain/tags.ts';
import type { Waiting } from './rows.ts';

/** Sets of tags that a run's work needs and nobody has: neither who asks (`own`; `null`: nobody asks) nor a worker that lives. */
export function unmetNeeds(
  requires: TaskTags | undefined,
  own: readonly string[] | null,
  living: readonly (readonly string[])[],
): readonly string[] {
  return foreignNeeds(requires, own).filter((need) => !living.some((tags) => covers(tags, need)));
}

/** Sets of tags that a run's work needs and who asks has not. */
export function foreignNeeds(requires: TaskTags | undefined, own: readonly string[] | null): readonly string[] {
  return needsOf(requires).filter((need) => need !== '' && (own === null || !covers(own, need)));
}

/** What so many steps wait for that need a worker with these tags. */
export function waitingForTags(need: string, count: number): Waiting {
  return { why: 'tags', laneId: null, count, untilMs: null, tags: tagsOf(need), message: null };
}

/** Tasks that need other tags than before, each with what it needs now. */
export function changedNeeds(before: TaskTags = {}, after: TaskTags = {}): readonly { readonly task: string; readonly requires: string }[] {
  const tasks = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return tasks.flatMap((task) => {
    const requires = neededBy(after, task);
    return requires === neededBy(before, task) ? [] : [{ task, requires }];
  });
}
