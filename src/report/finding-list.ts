import type { ResultLine, RunHeader } from '../domain/result-line.ts';
import type { Finding } from '../domain/score.ts';
import type { JobVerdict } from '../domain/verdict.ts';
import { type BoundedList, boundedList } from './bounded-list.ts';
import { jobRef } from './result-group.ts';
import type { FindingEntry } from './summary.ts';

const FINDINGS_KEPT = 50;

/** Worst last; what has no such field, or another word in it, comes after them all. */
const SEVERITIES = ['low', 'medium', 'high', 'critical'];

/** What the answers say, the most severe first; a quote that several checks looked up counts once. */
export function findingList({ privacy }: Pick<RunHeader, 'privacy'>): {
  add(line: ResultLine, verdict: JobVerdict): void;
  finish(): BoundedList<FindingEntry>;
} {
  const list = boundedList<FindingEntry>(privacy === 'none' ? 0 : FINDINGS_KEPT, (a, b) => rank(b.finding) - rank(a.finding));
  return {
    add(line, verdict) {
      const known = new Set<string>();
      for (const { check, findings } of line.scores) {
        for (const [index, finding] of findings.entries()) {
          // Without words nothing tells whether two checks looked up the same quote.
          const key = privacy === 'none' ? `${check} ${index}` : `${finding.at} ${finding.quote}`;
          if (known.has(key)) continue;
          known.add(key);
          list.add({ ...jobRef(line), verdict, finding });
        }
      }
    },
    finish: list.finish,
  };
}

function rank({ beside = {} }: Finding): number {
  const severity = Object.hasOwn(beside, 'severity') ? beside.severity : undefined;
  return typeof severity === 'string' ? SEVERITIES.indexOf(severity.toLowerCase()) : -1;
}
