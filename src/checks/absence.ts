import { coverageOf, isWhole } from '../domain/coverage.ts';
import type { CanonicalText, Section, Span } from '../domain/document.ts';
import type { Absence } from '../domain/score.ts';

/** Titles that are kept. */
const MOST_TITLES = 20;

/** What of the document was searched by who saw these spans of it. */
export function searchedIn(document: CanonicalText, seen: readonly Span[]): Omit<Absence, 'at'> {
  const coverage = coverageOf(document, seen, 1);
  const isSeen = ({ start, end }: Span) => coverage.spans.some((span) => span.start < end && start < span.end);
  return {
    searched: outermost(document.sections)
      .filter(isSeen)
      .slice(0, MOST_TITLES)
      .map(({ title }) => title),
    sections: { seen: coverage.sections.seen, of: coverage.sections.of },
    whole: isWhole(coverage),
  };
}

/** Sections that no other holds. Where the document's title holds all of them, those below it. */
function outermost(sections: readonly Section[]): readonly Section[] {
  let end = 0;
  const outer = sections.filter((section) => {
    if (section.start < end) return false;
    end = section.end;
    return true;
  });
  return outer.length === 1 && sections.length > 1 ? outermost(sections.slice(1)) : outer;
}
