import type { Json } from './canonical-json.ts';
import type { Position } from './document.ts';

export type CheckVerdict = 'pass' | 'fail' | 'review';
export type Severity = 'must' | 'warn';

type EvidenceStatus = 'verified' | 'elided' | 'near' | 'rejected';
export type EvidenceTier = 'verbatim' | 'normalised' | 'punct' | 'case' | 'ligature';
export type RejectionReason =
  | 'altered'
  | 'clipped'
  | 'cut'
  | 'reworded'
  | 'stitched'
  | 'from_prompt'
  | 'from_other_document'
  | 'not_found'
  | 'too_short';

/** What a quote is worth: where it stands in the document, or why it does not. */
export type Evidence = {
  readonly status: EvidenceStatus;
  readonly tier: EvidenceTier | null;
  readonly reason: RejectionReason | null;
  /** For `altered` and `near`: the document's words, then the quote's: `1023 → 1032` is a quote that says 1032 of a document that says 1023. */
  readonly diff: string | null;
  readonly occurrences: number;
  /** The place that counts; for `altered`, the nearest place. `null` when there is none. */
  readonly position: Position | null;
  /** The document's own words at `position`. */
  readonly text: string | null;
};

/** One match of an `evidence` check's `at`. */
export type Finding = {
  /** JSON pointer of the quote in the answer. */
  readonly at: string;
  /** The model's words. */
  readonly quote: string;
  readonly evidence: Evidence;
  /** The page that the model named, if the check asks for one; `pageCorrected` when the quote stands elsewhere. */
  readonly pageClaimed: number | null;
  readonly pageCorrected: boolean;
};

/** What one check says of one answer. */
export type Score = {
  readonly check: string;
  readonly type: string;
  readonly severity: Severity;
  readonly verdict: CheckVerdict;
  readonly value: Json;
  /** One line: what was expected and what came. Empty when the check passed without remark. */
  readonly explanation: string;
  readonly findings: readonly Finding[];
};
