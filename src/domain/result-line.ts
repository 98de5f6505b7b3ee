import type { Coverage } from './coverage.ts';
import type { JobState } from './job.ts';
import type { EvidencePrivacy } from './manifest/resolved.ts';
import type { Usage } from './money.ts';
import type { Reason } from './reason.ts';
import type { RunState } from './run.ts';
import type { Score } from './score.ts';
import type { SelectedPart } from './selection.ts';
import type { Aggregate, Gate, JobVerdict } from './verdict.ts';

/** Line 1 of `results.jsonl`: all that a summary needs to know of its run. Times are ISO 8601 in UTC. */
export type RunHeader = {
  readonly v: 1;
  readonly kind: 'run';
  readonly run: {
    readonly id: string;
    readonly name: string;
    readonly state: RunState;
    readonly startedAt: string;
    readonly finishedAt: string | null;
  };
  /** Version of aieval that wrote the file. */
  readonly version: string;
  readonly manifest: string;
  readonly gate: Gate;
  /** `none`: reports show no word of a document or a model; absent in files of before: `quote`. */
  readonly privacy?: EvidencePrivacy | undefined;
  readonly tasks: { readonly [task: string]: { readonly repeats: number; readonly aggregate: Aggregate } };
  readonly models: { readonly [model: string]: { readonly provider: 'openai' | 'replay' | 'simulated'; readonly model: string } };
  readonly documents: readonly {
    readonly id: string;
    readonly bytesSha256: string | null;
    readonly textSha256: string | null;
    readonly pages: number | null;
    readonly characters: number | null;
    readonly warnings: readonly string[];
    readonly error: { readonly reason: Reason; readonly message: string } | null;
  }[];
  readonly jobs: number;
  /** The run is a part of its manifest's jobs; absent: all of them. */
  readonly selection?: SelectedPart | undefined;
  /** By model, over its answers in this run; `null` where no answer came in pieces. */
  readonly speeds?:
    | { readonly [model: string]: { readonly firstTokenMs: number | null; readonly tokensPerSecond: number | null } }
    | undefined;
  /** The run's own bounds, and what counts against them, uncertain calls included; absent without a budget. */
  readonly budget?: HeaderBudget | undefined;
  /** What keeps open jobs from going on: pauses, budgets, failures. */
  readonly stoppedBy?: readonly HeaderStop[] | undefined;
};

/** `null`: no such bound. */
export type HeaderBudget = {
  readonly usd: { readonly limit: number; readonly used: number } | null;
  readonly tokens: { readonly limit: number; readonly used: number } | null;
};

export type HeaderStop = {
  readonly why: string;
  /** The provider's name in the manifest, where it is about one. */
  readonly lane: string | null;
  /** Steps that wait for it. */
  readonly count: number;
  readonly until: string | null;
  readonly message: string | null;
  /** Of a wait for a worker: the tags that it must have. */
  readonly tags?: readonly string[] | undefined;
};

/** One job in `results.jsonl`, in plan order. Money in USD. Fields are only ever added. */
export type ResultLine = {
  readonly v: 1;
  readonly jobId: string;
  readonly document: string;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
  readonly state: JobState;
  /** `null` while the job is open. */
  readonly verdict: JobVerdict | null;
  readonly scores: readonly Score[];
  readonly usage: Usage;
  /** Spent by this job in this run: 0 for a hit, `null` when a price is unknown. */
  readonly costUsd: number | null;
  readonly calls: number;
  readonly attempts: number;
  /** Failed or lost tries that were tried again. */
  readonly retries: number;
  readonly cached: boolean;
  readonly repaired: boolean;
  readonly reasked: boolean;
  readonly latencyMs: number | null;
  /** What of the document the answer rests on, without `spans`; absent where no answer is, or of files of before. */
  readonly coverage?: Omit<Coverage, 'spans'> | undefined;
  readonly origin: { readonly runId: string; readonly jobId: string; readonly costUsd: number | null; readonly latencyMs: number } | null;
  readonly error: { readonly reason: Reason; readonly message: string } | null;
  /** Path of the job's folder, relative to the run's folder. */
  readonly artifacts: string | null;
};
