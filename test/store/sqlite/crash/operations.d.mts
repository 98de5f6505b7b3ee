import type { Json } from '../../../../src/domain/canonical-json.ts';
import type { Completion } from '../../../../src/domain/completion.ts';
import type { Failure } from '../../../../src/domain/reason.ts';
import type { JobResult } from '../../../../src/domain/result.ts';
import type { FollowingStep, NewJob, NewRun, NewWorker, RunDocument } from '../../../../src/store/plan-rows.ts';
import type { Store } from '../../../../src/store/store.ts';
import type { CallOutcome } from '../../../../src/store/work.ts';

/** What the operations write; plain JSON, so that a process of its own can be given it. */
export type OperationRows = {
  readonly run: NewRun;
  readonly documents: readonly RunDocument[];
  readonly jobs: readonly NewJob[];
  readonly worker: NewWorker;
  readonly completion: Completion;
  readonly answer: Json;
  readonly result: JobResult;
  readonly reduce: FollowingStep;
  readonly paid: CallOutcome;
  readonly free: CallOutcome;
  readonly failures: Readonly<Record<'transient' | 'quality' | 'capability' | 'check', Failure>>;
};

export type Place = {
  readonly store: Store;
  readonly rows: OperationRows;
  /** Told after the call is durably sent and before anything else of it happens. */
  readonly onCall: (stepKind: string, key: string) => void;
  /** Moves the clocks on. */
  readonly pass: (ms: number) => void;
};

export type OperationName =
  | 'register'
  | 'claim'
  | 'hit'
  | 'reap'
  | 'bury'
  | 'sent'
  | 'record'
  | 'answered'
  | 'superseded'
  | 'retried'
  | 'failed'
  | 'downgraded'
  | 'handedBack'
  | 'finished'
  | 'reduced'
  | 'unjudged'
  | 'leave'
  | 'plan'
  | 'join'
  | 'cancel'
  | 'retryJobs'
  | 'finishRun'
  | 'markArtifacts'
  | 'markSummary'
  | 'clearArtifacts';

/** `held` is what `before` left in hand. */
export type Operation = {
  readonly before: (place: Place) => Promise<unknown>;
  readonly act: (place: Place, held: unknown) => Promise<unknown>;
};

export const VICTIM: string;
export const OPERATIONS: Readonly<Record<OperationName, Operation>>;
