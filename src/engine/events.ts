import type { JobState } from '../domain/job.ts';
import type { Failure, Reason } from '../domain/reason.ts';
import type { JobError } from '../domain/result.ts';
import type { Selection } from '../domain/selection.ts';
import type { JobVerdict } from '../domain/verdict.ts';

/** What the engine tells whoever shows a run; it never prints. */
export type EngineEvent =
  | { readonly kind: 'documents.progress'; readonly done: number; readonly total: number; readonly documentId: string }
  | { readonly kind: 'document.failed'; readonly documentId: string; readonly reason: Reason; readonly message: string }
  | {
      readonly kind: 'run.started';
      readonly runId: string;
      readonly name: string;
      readonly joined: boolean;
      readonly jobs: number;
      /** Of them, those whose answer was known at the start; `null` where the run was not planned here: nobody counted them. */
      readonly cached: number | null;
      /** Documents × tasks × models that they give, where they were planned here. */
      readonly results?: number;
      /** What they will likely cost, and the budget, where that is known; a missing price or budget is `null`. */
      readonly plan?: { readonly expectedNanoUsd: number | null; readonly budgetNanoUsd: number | null };
      readonly outDir: string;
      /** False where `outDir` is a folder of another machine. */
      readonly filesHere: boolean;
      /** Absent: all jobs of the manifest are meant. */
      readonly selected?: SelectedJobs | undefined;
      /** An earlier run of the same manifest, and what has changed since; absent: none, or nothing. */
      readonly since?: { readonly runId: string; readonly changes: readonly string[]; readonly reused: number } | undefined;
    }
  | {
      readonly kind: 'retry.planned';
      readonly runId: string;
      readonly jobs: number;
      /** Jobs of the run that were open before, which are worked on, too. */
      readonly otherJobs: number;
      readonly calls: number;
      /** `null`: unknown. */
      readonly expectedNanoUsd: number | null;
      readonly worstNanoUsd: number | null;
      /** The jobs have a result, which stays until the new one is there. */
      readonly keepsResults: boolean;
    }
  | { readonly kind: 'job.started'; readonly runId: string; readonly jobId: string; readonly label: string }
  | {
      readonly kind: 'job.ended';
      readonly runId: string;
      readonly jobId: string;
      readonly label: string;
      readonly state: JobState;
      readonly verdict: JobVerdict;
      readonly cached: boolean;
      readonly error: JobError | null;
      readonly explanation: string | null;
      /** The same without a word of a document or a model. */
      readonly bareExplanation?: string | null;
    }
  | {
      readonly kind: 'step.retry';
      readonly runId: string;
      readonly jobId: string;
      readonly label: string;
      readonly failure: Failure;
      readonly atMs: number;
    }
  | {
      readonly kind: 'step.reask';
      readonly runId: string;
      readonly jobId: string;
      readonly label: string;
      readonly errors: readonly string[];
    }
  | {
      readonly kind: 'lane.paused';
      readonly provider: string;
      /** Nothing more is sent: to this model of the run, to the models that share its limits, or with this key. */
      readonly scope: 'model' | 'lane' | 'account';
      /** Of scope `model`. */
      readonly model: string | null;
      readonly failure: Failure;
      /** `null`: until a person acts. */
      readonly untilMs: number | null;
      /** What a person must mend; `null`: time ends it. */
      readonly fix: string | null;
      /** The command that goes on after that, as it can be typed; absent where nobody knows the folder. */
      readonly next?: string;
    }
  | {
      readonly kind: 'lease.lost';
      readonly runId: string;
      readonly jobId: string;
      readonly label: string;
      readonly resultKept: boolean;
    }
  | {
      readonly kind: 'stopping';
      readonly inFlight: number;
      readonly now: boolean;
      /** How long calls in flight may still run. */
      readonly graceMs?: number;
      /** A person asked, who may ask again. */
      readonly byPerson?: boolean;
    }
  | { readonly kind: 'warning'; readonly message: string };

/** What is meant of a manifest's jobs; `options` as they are typed. */
type SelectedJobs = { readonly selection: Selection; readonly allJobs: number; readonly options: string };

export type OnEvent = (event: EngineEvent) => void;
