import type { BlockedBy } from '../domain/admit.ts';
import type { BudgetUse } from '../domain/budget.ts';
import type { Json } from '../domain/canonical-json.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { JobState } from '../domain/job.ts';
import type { Slots } from '../domain/lane/pace.ts';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { Usage } from '../domain/money.ts';
import type { Part } from '../domain/part.ts';
import type { Failure, Reason } from '../domain/reason.ts';
import type { JobError, JobResult, Origin } from '../domain/result.ts';
import type { RunSettings, RunState } from '../domain/run.ts';
import type { StepKind, StepState } from '../domain/step.ts';
import type { JobVerdict, ResultCounts } from '../domain/verdict.ts';
import type { NewWorker } from './plan-rows.ts';

export type RunRow = {
  readonly runId: string;
  readonly identity: string;
  /** False once a newer run took the identity: whoever starts the same work again joins that one. */
  readonly holdsIdentity: boolean;
  readonly name: string;
  readonly state: RunState;
  readonly manifestPath: string;
  readonly manifest: ResolvedManifest;
  readonly settings: RunSettings;
  readonly outDir: string;
  /** Made in another database of the server, which is still there and of which this one is a copy: the files in `outDir` are that one's. */
  readonly isCopy?: boolean;
  readonly createdAtMs: number;
  readonly plannedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly summaryAtMs: number | null;
  /** Only cache rows stored later are hits. */
  readonly freshAfterMs: number | null;
  /** Grows with every change of the run's own state, of its jobs and of what their calls cost. */
  readonly revision: number;
};

/** A run of which this version does not know what rules it: another one wrote it, or somebody else. */
export type UnreadableRun = Pick<RunRow, 'runId' | 'state' | 'manifestPath' | 'createdAtMs'> & {
  /** The first place that is not known: `manifest.providers.lab.type`. */
  readonly unreadableAt: string;
};

export type OpenedRun = { readonly run: RunRow; readonly joined: boolean };

export type WorkerRow = NewWorker & {
  readonly tags: readonly string[];
  readonly startedAtMs: number;
  readonly beatAtMs: number;
  /** Leases that it holds. */
  readonly running: number;
  /** When the oldest of them was taken; `null` without one. */
  readonly oldestLeaseAtMs: number | null;
  /** Whether its process lives: by its lock on this machine, which tells for certain; by its beats on another. */
  readonly alive: boolean;
  /** A lock has told so. */
  readonly certain: boolean;
  /** When others take what it holds, should it be silent; `null` for one that holds nothing, and where that is not watched from elsewhere. */
  readonly takeover: Takeover | null;
};

/** The earliest of a worker's leases. */
type Takeover = {
  /** When it runs out. */
  readonly expiresAtMs: number;
  /** For how long it has to be watched yet by somebody who has not seen it before. */
  readonly watchMs: number;
};

export type Waiting = {
  /** `tags`: for a worker that has them; none that lives does. */
  readonly why: BlockedBy | 'backoff' | 'model_paused' | 'tags';
  readonly laneId: string | null;
  /** What the manifest calls the lane. */
  readonly lane?: string | null;
  readonly count: number;
  readonly untilMs: number | null;
  /** Of `tags`: those that a worker must have. */
  readonly tags?: readonly string[];
  /** Of what bounds how many calls run at once. */
  readonly slots?: Slots;
  /** Of a pause: what brought it. */
  readonly reason?: Reason | null;
  readonly message: string | null;
};

export type RunTotals = {
  readonly jobs: {
    readonly total: number;
    readonly queued: number;
    readonly running: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly cancelled: number;
  };
  readonly results: ResultCounts;
  readonly calls: number;
  readonly attempts: number;
  readonly cacheHits: number;
  readonly cost: {
    readonly spentNanoUsd: number | null;
    readonly reservedNanoUsd: number;
    readonly uncertainNanoUsd: number;
    readonly unpricedCalls: number;
    /** Calls that were sent and whose outcome nobody knows: they may be billed, and are asked again unless their job was cancelled. */
    readonly uncertainCalls: number;
    /** Those of them whose price, or longest answer, is unknown. */
    readonly uncertainUnpricedCalls: number;
  };
  /** What counts against the run's budget; `null` without one. */
  readonly budget: BudgetUse | null;
  /** The last end of a try or of a job; `null` when nothing ended yet. */
  readonly happenedAtMs: number | null;
  /** Leases that ran out, or whose worker died. */
  readonly lostLeases: number;
  readonly tokens: { readonly input: number; readonly cachedInput: number; readonly output: number };
  readonly byModel: readonly ModelTotals[];
  readonly dlq: readonly { readonly reason: Reason; readonly count: number }[];
  /** Failed tries that were, or will be, tried again. */
  readonly retries: readonly { readonly reason: Reason; readonly count: number }[];
  readonly waiting: readonly Waiting[];
  /** Calls that were sent and whose answer is not here, and the most that those of a known price can cost. */
  readonly inFlight: { readonly calls: number; readonly nanoUsd: number };
};

export type ModelTotals = {
  readonly model: string;
  readonly total: number;
  readonly queued: number;
  readonly running: number;
  readonly pass: number;
  readonly fail: number;
  readonly review: number;
  readonly error: number;
  readonly cancelled: number;
  readonly cached: number;
  readonly inputTokens: number;
  /** Of them, read from the provider's prompt cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly spentNanoUsd: number | null;
  /** Mean over streamed answers; `null` without one. */
  readonly firstTokenMs: number | null;
  /** Output over the time after the first token, over streamed answers; `null` without one. */
  readonly tokensPerSecond: number | null;
  /** Of jobs that are asked in parts; `openParts` of them are not over. */
  readonly parts: number;
  readonly openParts: number;
  /** Tries that the server refused for its rate. */
  readonly rateLimited: number;
  /** How long its answered calls took, to within a twentieth; `null` without one. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
};

/** Calls of a model that are left: queued steps, and what will follow from them. */
export type OpenCalls = {
  readonly model: string;
  readonly calls: number;
  /** Summed, and the largest, of the most that their inputs can be. */
  readonly maxInputTokens: number;
  readonly largestInputTokens: number;
};

/** Since when the oldest step that could start waits, and the oldest that runs was claimed; `null` without one. */
export type OldestWork = { readonly queuedAtMs: number | null; readonly runningAtMs: number | null };

/** One call that is left of a job. */
export type OpenCall = {
  readonly jobId: string;
  readonly task: string;
  readonly model: string;
  /** Calls of one key are one; `null`: of a call that follows from answers that are not there yet. */
  readonly key: string | null;
  readonly inputTokens: number;
  readonly maxInputTokens: number;
  /** Answers in its prompt whose length is not known: see `LaterCall`. */
  readonly answers: number;
};

/** A job that is to be asked again, and why it failed; `null`: its answer did not pass its checks. */
export type RetriedJob = Pick<JobRow, 'jobId' | 'documentId' | 'task' | 'model' | 'repeat'> & { readonly reason: Reason | null };

/** What a retry would do: the jobs in plan order, and every call that the run then has left, also of jobs that were open before. */
export type RetryOutlook = { readonly jobs: readonly RetriedJob[]; readonly calls: readonly OpenCall[] };

/** What a budget group spent in one month, over all runs that named it. */
export type GroupMonth = {
  readonly group: string;
  /** `2026-11`, UTC. */
  readonly month: string;
  readonly spentNanoUsd: number;
  readonly reservedNanoUsd: number;
  readonly uncertainNanoUsd: number;
};

/** How long the answers were that a model gave to a task, and how long they took. */
export type OutputMean = {
  readonly task: string;
  /** As its provider names it. */
  readonly model: string;
  /** Of the key: where the model was asked. */
  readonly endpoint: string;
  readonly tokens: number;
  /** `null`: no call was timed. */
  readonly latencyMs: number | null;
  readonly calls: number;
};

export type JobRow = {
  readonly seq: number;
  readonly jobId: string;
  readonly documentId: string;
  readonly bytesSha256: string | null;
  readonly textSha256: string | null;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
  readonly state: JobState;
  readonly verdict: JobVerdict | null;
  readonly result: JobResult | null;
  readonly error: JobError | null;
  /** Summed over the job's calls in this run; zero for a hit. */
  readonly usage: Usage;
  /** Spent by this job in this run: 0 for a hit, `null` when a call's price is unknown. */
  readonly costNanoUsd: number | null;
  readonly calls: number;
  readonly attempts: number;
  /** Failed or lost tries that were tried again. */
  readonly retries: number;
  readonly cached: boolean;
  readonly origin: Origin | null;
  /** Of the call that gave the answer, the longest of several; `null` without one. */
  readonly latencyMs: number | null;
  readonly endedAtMs: number | null;
};

export type JobRecord = {
  readonly job: JobRow;
  readonly steps: readonly StepRow[];
  readonly attempts: readonly AttemptRow[];
  readonly calls: readonly CallRow[];
};

export type StepRow = {
  readonly stepId: number;
  readonly kind: StepKind;
  readonly index: number;
  readonly key: string | null;
  readonly state: StepState;
  readonly outcome: string | null;
  readonly runAtMs: number;
  /** The call whose response this step's answer is. */
  readonly callToken: string | null;
  readonly leaseOwner: string | null;
  readonly leaseExpiresAtMs: number | null;
  readonly keyRecord: Json;
  /** Of a step that asks a part of the document. */
  readonly part: Part | null;
  /** Of a step that asks what was made of other steps' answers. */
  readonly prompt: { readonly system: string | null; readonly prompt: string } | null;
  /** Whose call `callToken` is. */
  readonly paidBy: { readonly runId: string; readonly jobId: string } | null;
};

/** What the same bytes, read in the same way, gave before. */
export type StoredExtraction = {
  readonly content: CanonicalText;
  readonly tokens: number;
  readonly maxTokens: number;
  /** Tokens of each stretch of the text; absent: they were estimated. */
  readonly stretches?: readonly number[];
};

/** One try of a step; appended, never changed. */
export type AttemptRow = {
  readonly stepId: number;
  readonly number: number;
  readonly callToken: string | null;
  readonly outcome: 'succeeded' | 'superseded' | 'failed' | 'downgraded' | 'handed_back' | 'lost';
  readonly failure: Failure | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
};

export type CallRow = {
  readonly callToken: string;
  readonly stepId: number;
  readonly state: 'reserved' | 'sent' | 'settled' | 'released' | 'unknown';
  readonly usage: Usage | null;
  readonly costNanoUsd: number | null;
  readonly sentAtMs: number | null;
  readonly settledAtMs: number | null;
};
