import { isWhole } from '../domain/coverage.ts';
import type { ResultLine } from '../domain/result-line.ts';
import type { CoverageCounts, PartialDocument } from './summary.ts';

const DOCUMENTS_KEPT = 50;

/** Counts jobs that were asked in parts, and the documents of which something was not evaluated, in plan order. */
export function coverageTally(): { add(line: ResultLine): void; finish(): CoverageCounts } {
  const partial = new Map<string, PartialDocument>();
  const unlisted = new Set<string>();
  let partJobs = 0;
  let parts = 0;
  return {
    add({ document, coverage }) {
      if (coverage === undefined) return;
      if (coverage.parts > 1) {
        partJobs += 1;
        parts += coverage.parts;
      }
      if (isWhole(coverage)) return;
      const known = partial.get(document);
      // Of several jobs, the one that saw least is shown.
      if (known !== undefined) {
        const least = coverage.characters < known.coverage.characters ? coverage : known.coverage;
        partial.set(document, { document, jobs: known.jobs + 1, coverage: least });
      } else if (partial.size < DOCUMENTS_KEPT) partial.set(document, { document, jobs: 1, coverage });
      else unlisted.add(document);
    },
    finish: () => ({ partJobs, parts, partial: { total: partial.size + unlisted.size, kept: [...partial.values()] } }),
  };
}
