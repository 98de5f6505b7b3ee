import type { Json } from '../../domain/canonical-json.ts';
import type { Coverage } from '../../domain/coverage.ts';
import type { JobState } from '../../domain/job.ts';
import type { Usage } from '../../domain/money.ts';
import type { Reason } from '../../domain/reason.ts';
import type { Score } from '../../domain/score.ts';
import type { StepKind } from '../../domain/step.ts';
import type { JobVerdict } from '../../domain/verdict.ts';
import type { Summary } from '../summary.ts';

/**
 * What report.html holds, as JSON in `<script type="application/json">` elements: `aieval-index`, parsed at once; `aieval-jobs-0`, `-1`, …
 * (`ReportJob[]`, `jobsPerBlock` in each, in the order of the index), `aieval-document-<n>` (`ReportDocument`, by its place in the index)
 * and `aieval-strings` (`string[]`), each parsed when it is first looked at.
 */
export type ReportIndex = {
  readonly v: 1;
  readonly summary: Summary;
  /** In plan order. */
  readonly jobs: readonly ReportRow[];
  readonly documents: readonly ReportDocumentRow[];
  readonly jobsPerBlock: number;
  /** What was left out of the file, and why: one line each. */
  readonly notes: readonly string[];
  /**
   * Where the run's folder can be read, percent-encoded: an http(s) URL or a path relative to this file, ending in `/`, or empty when it is
   * this file's own folder; `null`: no links. A link is this, then the job's `artifacts`, then `/`.
   */
  readonly artifactsBase: string | null;
};

/** One line of the table. */
export type ReportRow = {
  readonly jobId: string;
  /** Place in `documents`. */
  readonly document: number;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
  readonly state: JobState;
  /** `null` while it is open. */
  readonly verdict: JobVerdict | null;
  /** Names of the checks that did not pass, failures first. */
  readonly checks: readonly string[];
  /** Why it could not be evaluated. */
  readonly reason: Reason | null;
  /** One line on what is wrong; empty when nothing is. */
  readonly note: string;
  /** Quotes by what they are worth: verified (elided ones too), near, rejected. */
  readonly quotes: readonly [verified: number, near: number, rejected: number];
  /** `null`: no known price. */
  readonly costUsd: number | null;
  readonly latencyMs: number | null;
  readonly attempts: number;
  readonly cached: boolean;
};

type ReportDocumentRow = {
  readonly id: string;
  readonly pages: number | null;
  readonly characters: number | null;
  readonly warnings: readonly string[];
  readonly error: { readonly reason: Reason; readonly message: string } | null;
  /** Whether there is an `aieval-document-<n>`. */
  readonly text: boolean;
};

/** All that is known of a job. */
export type ReportJob = {
  readonly jobId: string;
  readonly scores: readonly Score[];
  readonly error: { readonly reason: Reason; readonly message: string } | null;
  /** The judged answer; absent when it was left out. */
  readonly answer?: Json | undefined;
  readonly repaired: boolean;
  readonly reasked: boolean;
  readonly coverage: Omit<Coverage, 'spans'> | null;
  readonly usage: Usage;
  readonly origin: { readonly runId: string; readonly jobId: string; readonly costUsd: number | null } | null;
  readonly steps: readonly ReportStep[];
  readonly attempts: readonly ReportAttempt[];
  /** Of the job, relative to the run's folder. */
  readonly artifacts: string | null;
};

/** A call step: what was asked and what came. */
export type ReportStep = {
  /** As its folder is called and `show --step` takes it: `answer-1`, `chunk-2`, `reduce-1`, `reask-1`. */
  readonly name: string;
  readonly kind: StepKind;
  /** The messages that were sent; absent when they were left out. */
  readonly messages?: readonly ReportMessage[] | undefined;
  /** The answer as it came, where it is not the judged one. */
  readonly raw?: string | undefined;
};

/** `pieces` joined are the message: a number is a place in `aieval-strings`, a span a stretch of the document's text. */
export type ReportMessage = {
  readonly role: string;
  readonly pieces: readonly (number | { readonly start: number; readonly end: number })[];
};

export type ReportAttempt = {
  readonly step: string;
  readonly number: number;
  readonly outcome: string;
  readonly reason: Reason | null;
  readonly message: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly tookMs: number;
  readonly costUsd: number | null;
};

/** What the file holds of a document's canonical text: stretches in order, at offsets in UTF-16 units of the whole. */
export type ReportDocument = {
  readonly excerpts: readonly {
    readonly start: number;
    readonly text: string;
    /** Of its first character, as evidence counts them; `null` where the format has none. */
    readonly line: number | null;
    readonly page: number | null;
    /**
     * Lines at which the count does not go on by one from the line before (a page begins, the file has lines that the text has not):
     * offset in the whole of the line's first character. Absent: none.
     */
    readonly jumps?: readonly { readonly at: number; readonly line: number; readonly page: number | null }[] | undefined;
  }[];
};
