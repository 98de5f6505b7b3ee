import type { EvidenceTier, Finding, RejectionReason, Score } from '../domain/score.ts';
import { byFrequency } from './frequency.ts';
import type { EvidenceCounts } from './summary.ts';

/** Counts what became of every quote that was looked up, and the claims that no quote can prove. */
export function evidenceCount(): { add(score: Pick<Score, 'findings' | 'absences'>): void; finish(): EvidenceCounts } {
  const quotes = quoteCount();
  const absences = { claims: 0, whole: 0 };
  return {
    add(score) {
      for (const finding of score.findings) quotes.add(finding);
      for (const { whole } of score.absences ?? []) {
        absences.claims += 1;
        absences.whole += Number(whole);
      }
    },
    finish: () => ({ ...quotes.finish(), absences: { ...absences } }),
  };
}

function quoteCount(): { add(finding: Finding): void; finish(): Omit<EvidenceCounts, 'absences'> } {
  const counts = { quotes: 0, verified: 0, elided: 0, near: 0, rejected: 0, unseen: 0, pagesCorrected: 0, linesCorrected: 0 };
  const tiers = new Map<EvidenceTier, number>();
  const reasons = new Map<RejectionReason, number>();
  return {
    add({ evidence, pageCorrected, lineCorrected }) {
      counts.quotes += 1;
      counts[evidence.status] += 1;
      counts.unseen += Number(evidence.status !== 'rejected' && evidence.seen === false);
      counts.pagesCorrected += Number(pageCorrected);
      counts.linesCorrected += Number(lineCorrected === true);
      if (evidence.status === 'verified' && evidence.tier !== null) tiers.set(evidence.tier, (tiers.get(evidence.tier) ?? 0) + 1);
      if (evidence.status === 'rejected' && evidence.reason !== null) reasons.set(evidence.reason, (reasons.get(evidence.reason) ?? 0) + 1);
    },
    finish: () => ({
      ...counts,
      tiers: byFrequency(tiers).map(([tier, count]) => ({ tier, quotes: count })),
      reasons: byFrequency(reasons).map(([reason, count]) => ({ reason, quotes: count })),
    }),
  };
}
