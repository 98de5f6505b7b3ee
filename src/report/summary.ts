import type { Coverage } from '../domain/coverage.ts';
import type { JobState } from '../domain/job.ts';
import type { EvidencePrivacy } from '../domain/manifest/resolved.ts';
import type { Reason } from '../domain/reason.ts';
import type { HeaderBudget, HeaderStop, RunHeader } from '../domain/result-line.ts';
import type { Absence, CheckVerdict, EvidenceTier, Finding, RejectionReason } from '../domain/score.ts';
import type { SelectedPart } from '../domain/selection.ts';
import type { Gate, JobVerdict, ResultCounts, RunVerdict } from '../domain/verdict.ts';
import type { BoundedList } from './bounded-list.ts';

/** All that any report of a run says, as plain data. A pure function of the run's header and result lines. */
export type Summary = {
  readonly run: RunHeader['run'];
  readonly version: string;
  readonly manifest: string;
  readonly gate: Gate;
  /** `none`: no word of a document or a model is in here; the texts that might hold one are empty. */
  readonly privacy: EvidencePrivacy;
  /** The run is a part of its manifest's jobs; `null`: all of them. */
  readonly selection: SelectedPart | null;
  /** `null` while the run can still change it. */
  readonly verdict: RunVerdict | null;
  /** Sorted by id. */
  readonly models: readonly ModelEntry[];
  readonly documents: {
    readonly total: number;
    readonly failed: number;
    readonly warned: BoundedList<DocumentWarning>;
    /** The same by what they say, the most widespread first. */
    readonly warnings: BoundedList<WarningGroup>;
  };
  readonly jobs: JobCounts;
  readonly results: ResultCounts;
  readonly effort: Effort;
  readonly cost: Cost;
  /** `null` without a budget. */
  readonly budget: HeaderBudget | null;
  /** What keeps open jobs from going on. */
  readonly stoppedBy: readonly HeaderStop[];
  readonly tokens: { readonly input: number; readonly cachedInput: number; readonly output: number };
  readonly evidence: EvidenceCounts;
  readonly coverage: CoverageCounts;
  /** Results that passed an `evidence` check with nothing to look up: no claim, so no proof. */
  readonly passedWithoutFinding: number;
  /** Results that pass because no check judged them. */
  readonly passedUnchecked: number;
  /** Failed checks of severity `warn`: they change no verdict. */
  readonly warnings: number;
  /** Per task and model, worst first. */
  readonly matrix: readonly MatrixRow[];
  /** Worst first. */
  readonly failures: BoundedList<ResultEntry>;
  /** In plan order. */
  readonly reviews: BoundedList<ResultEntry>;
  readonly notEvaluated: NotEvaluated;
  /** What the answers say with a quote, one answer a result: by a field `severity` beside it, then in plan order. Only counted with privacy `none`. */
  readonly findings: BoundedList<FindingEntry>;
  /** Calls made in this run, slowest first. */
  readonly slowest: BoundedList<SlowJob>;
  /** Jobs that have a folder, in plan order. */
  readonly index: BoundedList<IndexEntry>;
};

export type ModelEntry = {
  readonly id: string;
  readonly provider: 'openai' | 'replay' | 'simulated';
  readonly model: string;
  /** Of all calls of this run. */
  readonly inputTokens: number;
  /** Of them, read from the provider's prompt cache. */
  readonly cachedInputTokens: number;
  /** Means over answers that came in pieces; `null` without one. */
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
};

/** A warning and the documents that it is about: the first of them, and how many there are. */
export type WarningGroup = { readonly text: string; readonly documents: readonly string[]; readonly total: number };

/** Warnings that differ in their numbers only are one. */
export type DocumentWarning = { readonly document: string; readonly warnings: readonly string[] };

type JobCounts = {
  readonly total: number;
  readonly open: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Answered without a call of this run; among the others. */
  readonly cached: number;
};

type Effort = {
  readonly calls: number;
  readonly attempts: number;
  readonly retries: number;
  readonly reasked: number;
  readonly repaired: number;
};

/** `spentUsd` is the sum of what has a known price; `null` when nothing that was paid for has one. */
export type Cost = { readonly spentUsd: number | null; readonly unpricedJobs: number };

export type EvidenceCounts = {
  readonly quotes: number;
  readonly verified: number;
  /** Most frequent first, as `reasons`. */
  readonly tiers: readonly { readonly tier: EvidenceTier; readonly quotes: number }[];
  readonly elided: number;
  readonly near: number;
  readonly rejected: number;
  readonly reasons: readonly { readonly reason: RejectionReason; readonly quotes: number }[];
  /** Quotes that stand at a place that was in no prompt. */
  readonly unseen: number;
  /** Pages and lines that answers named and that are others. */
  readonly pagesCorrected: number;
  readonly linesCorrected: number;
  /** Claims that the document does not say something; `whole`: those for which all of it was in a prompt. */
  readonly absences: { readonly claims: number; readonly whole: number };
};

/** A job's coverage as a result line has it. */
export type CoverageFacts = Omit<Coverage, 'spans'>;

export type CoverageCounts = {
  /** Jobs whose document was asked in several parts, and those parts. */
  readonly partJobs: number;
  readonly parts: number;
  /** Documents of which something was not evaluated, in plan order. */
  readonly partial: BoundedList<PartialDocument>;
};

/** `coverage` is that of the job that saw least, of `jobs` that did not see all. */
export type PartialDocument = { readonly document: string; readonly jobs: number; readonly coverage: CoverageFacts };

export type MatrixRow = { readonly task: string; readonly model: string } & ResultCounts;

/** Identity of a job and where its folder is, relative to the run's; `null` when it has none. */
export type JobRef = {
  readonly jobId: string;
  readonly document: string;
  readonly task: string;
  readonly model: string;
  readonly artifacts: string | null;
};

/** A result, shown by the one of its repeats that speaks for its verdict. */
export type ResultEntry = JobRef & {
  readonly verdict: JobVerdict;
  readonly repeats: { readonly [Verdict in JobVerdict]: number };
  /** The checks that did not pass, failures first. */
  readonly checks: readonly CheckEntry[];
};

export type CheckEntry = {
  readonly check: string;
  readonly verdict: CheckVerdict;
  readonly explanation: string;
  /** Findings that are not verified, or not seen, rejected ones first. */
  readonly findings: BoundedList<Finding>;
  readonly absences: BoundedList<Absence>;
};

export type FindingEntry = JobRef & { readonly verdict: JobVerdict; readonly finding: Finding };

export type NotEvaluated = {
  readonly results: number;
  /** Most frequent first. */
  readonly reasons: readonly { readonly reason: Reason; readonly results: number }[];
  /** Per reason and document, in plan order. */
  readonly entries: BoundedList<ErrorEntry>;
};

export type ErrorEntry = JobRef & { readonly reason: Reason; readonly message: string; readonly results: number };

export type SlowJob = JobRef & { readonly latencyMs: number };

export type IndexEntry = JobRef & { readonly repeat: number; readonly state: JobState; readonly verdict: JobVerdict | null };
