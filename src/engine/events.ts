import type { JobState } from '../domain/job.ts';
import type { Failure, Reason } from '../domain/reason.ts';
import type { JobError } from '../domain/result.ts';
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
      readonly cached: number;
      readonly outDir: string;
    }
  | { readonly kind: 'job.started'; readonly jobId: string; readonly label: string }
  | {
      readonly kind: 'job.ended';
      readonly jobId: string;
      readonly label: string;
      readonly state: JobState;
      readonly verdict: JobVerdict;
      readonly cached: boolean;
      readonly error: JobError | null;
      readonly explanation: string | null;
    }
  | { readonly kind: 'step.retry'; readonly jobId: string; readonly label: string; readonly failure: Failure; readonly atMs: number }
  | { readonly kind: 'step.reask'; readonly jobId: string; readonly label: string; readonly errors: readonly string[] }
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
      /** What to do about it. */
      readonly next: string;
    }
  | { readonly kind: 'lease.lost'; readonly jobId: string; readonly label: string; readonly resultKept: boolean }
  | { readonly kind: 'stopping'; readonly inFlight: number; readonly now: boolean }
  | { readonly kind: 'warning'; readonly message: string };

export type OnEvent = (event: EngineEvent) => void;
