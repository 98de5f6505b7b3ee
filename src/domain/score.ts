import type { Json } from './canonical-json.ts';
import type { Position, Span } from './document.ts';

export type CheckVerdict = 'pass' | 'fail' | 'review';
export type Severity = 'must' | 'warn';

export type EvidenceStatus = 'verified' | 'elided' | 'near' | 'rejected';
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

/**
 * What a person should know of a quote that stands. `boundary`: it ends, or begins, inside a run of characters without a space, where the
 * document's text is glued. `negated_lead_in`: an item of a list whose lead-in holds a negation ("shall not:"); `context` has it.
 * `editor_brackets`: words in square brackets were taken as the quoter's own.
 */
export type EvidenceMark = 'boundary' | 'negated_lead_in' | 'editor_brackets';

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
  /** Whether the place was in the prompt; absent where there is no place, or nothing is known of the prompt. */
  readonly seen?: boolean | undefined;
  /** Absent when there are none. */
  readonly marks?: readonly EvidenceMark[] | undefined;
  /** Of `elided` and `stitched`: where its parts stand, in the quote's order; `position` spans from the first to the last of them. */
  readonly spans?: readonly Span[] | undefined;
  /**
   * Of `elided`: the words left out, the longest gap, shortened in the middle. Of the mark `negated_lead_in`: the lead-in. Of `cut`: some of
   * the document's words around the place, with `|` where the quote cuts them: `…using Sun-|Spider, the…`.
   */
  readonly context?: string | undefined;
  /** Of `from_other_document`: its id. */
  readonly source?: string | undefined;
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
  /** The line that the model named, if the check asks for one; absent when it does not. */
  readonly lineClaimed?: number | null | undefined;
  /** The quote stands on another line. */
  readonly lineCorrected?: boolean | undefined;
  /** What the answer says beside the quote: problem, severity, suggestion …; texts are shortened. Absent when it says nothing. */
  readonly beside?: { readonly [field: string]: string | number | boolean } | undefined;
};

/** A claim that the document does not say something: no quote can prove it, so it is shown with what was searched. */
export type Absence = {
  /** JSON pointer of the `null` that stands for a quote. */
  readonly at: string;
  /** Titles of the outermost sections that were in a prompt, at most 20; the whole number of sections is in `sections`. */
  readonly searched: readonly string[];
  readonly sections: { readonly seen: number; readonly of: number };
  /** Everything that the document has was in a prompt, and it lacks no page. */
  readonly whole: boolean;
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
  /** Of an `evidence` check; absent when there are none. */
  readonly absences?: readonly Absence[] | undefined;
};
