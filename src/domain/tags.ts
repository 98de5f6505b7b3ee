/** What a machine has, or a task needs of the machine that asks it: `gpu`, `large`. */
export const TAG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What a tag looks like, for messages. */
export const TAG_FORM = 'a tag of letters, digits, ".", "_" and "-"';

/** The one text of a set of tags, by which steps of the same needs stand together; empty: no tag. */
export function tagsText(tags: readonly string[]): string {
  return [...new Set(tags)].sort().join(',');
}

/** The tags of such a text. */
export function tagsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

/** Whether whoever has the tags `own` has all of those of a text. */
export function covers(own: readonly string[], needed: string): boolean {
  return tagsOf(needed).every((tag) => own.includes(tag));
}

/** Task → tags that it needs; a task that needs none is not in it. */
export type TaskTags = { readonly [task: string]: readonly string[] };

/** What a task needs, as its steps say it. */
export function neededBy(requires: TaskTags | undefined, task: string): string {
  return tagsText(requires !== undefined && Object.hasOwn(requires, task) ? (requires[task] ?? []) : []);
}

/** What the tasks need, each set once; the empty one, of tasks that need nothing, comes first. */
export function needsOf(requires: TaskTags = {}): readonly string[] {
  return [...new Set(['', ...Object.values(requires).map(tagsText)])].sort();
}
