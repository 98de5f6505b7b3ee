import type { Evidence, EvidenceMark, EvidenceStatus, RejectionReason } from './score.ts';

/** What a quote is worth, in the words of every screen; docs/documents.md explains them. */
export const STATUS_WORDS: { readonly [Status in EvidenceStatus]: string } = {
  verified: 'verified',
  elided: 'parts left out',
  near: 'near, but not the same',
  rejected: 'rejected',
};

/** Why a quote is rejected. */
export const REJECTION_WORDS: { readonly [Reason in RejectionReason]: string } = {
  altered: 'altered',
  reworded: 'reworded',
  stitched: 'stitched from several places',
  cut: 'cut inside a number or word',
  clipped: 'clipped where it changes the meaning',
  from_prompt: 'taken from the prompt',
  from_other_document: 'taken from another document',
  not_found: 'not in the document',
  too_short: 'too short to prove anything',
};

/** What a person should know of a quote that stands. */
export const MARK_WORDS: { readonly [Mark in EvidenceMark]: string } = {
  boundary: 'cut where the document has no space',
  negated_lead_in: 'an item below a negation',
  editor_brackets: "the words in square brackets are the quoter's own",
};

/** `taken from the prompt`; of a quote that is not rejected what it is. */
export function worthOf({ status, reason }: Pick<Evidence, 'status' | 'reason'>): string {
  return reason === null ? STATUS_WORDS[status] : REJECTION_WORDS[reason];
}
