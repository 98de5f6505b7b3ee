import type { Section } from '../domain/document.ts';
import { normaliseCharacters } from './normalise.ts';

/** Where a section begins. `level` starts at 1; `anchor` is its id, where the format has them. */
export type Heading = Pick<Section, 'title' | 'level' | 'start' | 'anchor'>;

/**
 * Sections of headings, in document order: each ends where the next heading of its level or a higher one begins, so that they
 * nest. Headings without a title are left out.
 */
export function sectionsOf(headings: readonly Heading[], textLength: number): readonly Section[] {
  const ordered = headings
    .map((heading) => ({ ...heading, title: normaliseCharacters(heading.title).replace(/\s+/g, ' ').trim() }))
    .filter((heading) => heading.title !== '')
    .sort((a, b) => a.start - b.start);
  const ends: number[] = [];
  const open: number[] = [];
  for (const [index, heading] of ordered.entries()) {
    for (let last = open.at(-1); last !== undefined && (ordered[last]?.level ?? 0) >= heading.level; last = open.at(-1)) {
      ends[last] = heading.start;
      open.pop();
    }
    open.push(index);
  }
  return ordered.map((heading, index) => ({ ...heading, end: ends[index] ?? textLength }));
}
