import type { EvidenceTier, Finding, RejectionReason } from '../domain/score.ts';
import { byFrequency } from './frequency.ts';
import type { EvidenceCounts } from './summary.ts';

/** Counts what became of every quote that was looked up. */
export function evidenceCount(): { add(finding: Finding): void; finish(): EvidenceCounts } {
  const statuses = { verified: 0, elided: 0, near: 0, rejected: 0 };
  const tiers = new Map<EvidenceTier, number>();
  const reasons = new Map<RejectionReason, number>();
  let quotes = 0;
  return {
    add({ evidence }) {
      quotes += 1;
      statuses[evidence.status] += 1;
      if (evidence.status === 'verified' && evidence.tier !== null) tiers.set(evidence.tier, (tiers.get(evidence.tier) ?? 0) + 1);
      if (evidence.status === 'rejected' && evidence.reason !== null) reasons.set(evidence.reason, (reasons.get(evidence.reason) ?? 0) + 1);
    },
    finish: () => ({
      quotes,
      ...statuses,
      tiers: byFrequency(tiers).map(([tier, count]) => ({ tier, quotes: count })),
      reasons: byFrequency(reasons).map(([reason, count]) => ({ reason, quotes: count })),
    }),
  };
}
