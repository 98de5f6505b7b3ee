import { oneLine } from '../../domain/hostile-text.ts';
import type { ResolvedTask } from '../../domain/manifest/resolved.ts';
import { tagsOf, tagsText } from '../../domain/tags.ts';
import { counted } from '../terminal/format.ts';

const MOST_NAMES = 5;

/** `1 task needs tags gpu, large, which run or worker must be given (--tags gpu,large): heavy`, for each set of tags. */
export function tagNotes(tasks: readonly Pick<ResolvedTask, 'id' | 'requires'>[]): string[] {
  const names = new Map<string, string[]>();
  for (const { id, requires = [] } of tasks) {
    const need = tagsText(requires);
    if (need !== '') names.set(need, [...(names.get(need) ?? []), oneLine(id)]);
  }
  return [...names].map(([need, ids]) => noteOf(need, ids));
}

function noteOf(need: string, ids: readonly string[]): string {
  const shown = ids.slice(0, MOST_NAMES);
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '';
  const tags = tagsOf(need);
  const named = `${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`;
  const needs = `${counted(ids.length, 'task')} ${ids.length === 1 ? 'needs' : 'need'} ${named}`;
  return `${needs}, which run or worker must be given (--tags ${need}): ${shown.join(', ')}${more}`;
}
