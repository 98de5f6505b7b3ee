import type { Json } from '../domain/canonical-json.ts';
import type { Completion, StructuredMode } from '../domain/completion.ts';
import type { JobState } from '../domain/job.ts';
import type { CallTiming, LanePause, RateReport } from '../domain/lane/lane.ts';
import type { ModelRate, Usage } from '../domain/money.ts';
import type { Part, StepInput } from '../domain/part.ts';
import type { Failure, Reason } from '../domain/reason.ts';
import type { JobError, JobResult } from '../domain/result.ts';
import type { RunState } from '../domain/run.ts';
import type { CallStepKind } from '../domain/step.ts';
import type { FollowingStep } from './plan-rows.ts';
import type { Waiting } from './rows.ts';

export type ClaimRequest = {
  readonly runId: string;
  readonly workerId: string;
  /** Of the worker; absent: none. */
  readonly tags?: readonly string[];
};

export type ClaimReply =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  /** Queued work may not start yet. Look again at `untilMs`, or when something ends. */
  | { readonly kind: 'blocked'; readonly blockedBy: readonly Waiting[]; readonly untilMs: number | null }
  /** Every open step of the run is running somewhere, or waits for one that is. */
  | { readonly kind: 'busy'; readonly untilMs: number | null }
  /** No step of the run is open. */
  | { readonly kind: 'drained' }
  /** No step of it is open, jobs of its plan are missing, and nobody adds them. */
  | { readonly kind: 'unplanned' }
  /** The run takes no claims. */
  | { readonly kind: 'stopped'; readonly state: Extract<RunState, 'paused' | 'finished' | 'cancelled'> };

export type ClaimedJob = {
  readonly jobId: string;
  readonly documentId: string;
  readonly textSha256: string;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
};

/** A leased step with all that its work needs. */
export type Claim = {
  /** New for every claim; also the call's token. */
  readonly token: string;
  readonly runId: string;
  readonly stepId: number;
  readonly job: ClaimedJob;
  /** On the store's clock, like every time here. */
  readonly claimedAtMs: number;
  readonly deadlineAtMs: number;
  readonly work: CallWork | JudgeWork | FinishWork;
};

/** A call must be made. */
export type CallWork = {
  readonly kind: 'call';
  readonly stepKind: CallStepKind;
  readonly key: string;
  /** Sent attempts of this (run, key) so far. */
  readonly attempts: number;
  /** Of the last try of this (run, key) that failed; `null` when none did. */
  readonly lastFailure: Reason | null;
  /** Of the prompt, as our tokenizer counts. */
  readonly inputTokens: number;
  /** By which the call's cost was reserved, and is booked. */
  readonly rate: ModelRate;
  /** Hash of the prompt's shared beginning; `null`: none. */
  readonly prefix: string | null;
  /** Other steps wait for this one's first token: say when it comes (`noteFirstToken`). */
  readonly warms: boolean;
  /** Remembered for this endpoint and model after a downgrade; `null` when none is. */
  readonly mode: StructuredMode | null;
  /** For `reask`: the answer to mend and why. */
  readonly reask: ReaskInput | null;
  readonly input: StepInput | null;
};

/** A complete response of this key in this run is stored and not judged yet: continue from it, without a call. */
export type JudgeWork = {
  readonly kind: 'judge';
  readonly stepKind: CallStepKind;
  readonly key: string;
  /** Of the prompt, as our tokenizer counts. */
  readonly inputTokens: number;
  /** By which the answer's cost is booked, when it is this run's own call. */
  readonly rate: ModelRate;
  readonly callToken: string;
  readonly completion: Completion;
  readonly reask: ReaskInput | null;
  readonly input: StepInput | null;
};

/** All call steps of the job are done: run the checks, set the verdict. */
export type FinishWork = { readonly kind: 'finish'; readonly answers: readonly StepAnswer[] };

export type ReaskInput = { readonly answer: string; readonly errors: readonly string[] };

export type StepAnswer = {
  readonly stepKind: CallStepKind;
  readonly index: number;
  readonly callToken: string;
  readonly answer: Json;
  readonly repaired: boolean;
  readonly mode: StructuredMode | null;
  /** What was asked, so that a re-ask is known for that of a part or of the `reduce`; a `prompt` comes without its texts. */
  readonly asked: { readonly kind: 'whole' } | { readonly kind: 'part'; readonly part: Part } | { readonly kind: 'reduce' };
};

/** What one call was: for the ledger. `unknown`: sent, and no one knows whether it was billed. */
export type CallOutcome = {
  readonly state: 'settled' | 'unknown' | 'released';
  readonly usage: Usage | null;
  readonly costNanoUsd: number | null;
  /** Of an answer. */
  readonly timing?: CallTiming;
  /** What the response's headers told of limits. */
  readonly rates?: RateReport;
};

export type StepOutcome =
  /** The answer fits its schema: cache it, turn the queued twins into hits. */
  | { readonly kind: 'answered'; readonly callToken: string; readonly answer: Json; readonly repaired: boolean; readonly call: CallOutcome }
  /** The answer does not fit: this step is superseded by a `reask` step of the same key. */
  | {
      readonly kind: 'superseded';
      readonly callToken: string;
      readonly reask: ReaskInput;
      readonly failure: Failure;
      readonly call: CallOutcome;
    }
  /** `callToken` is the lease's own, or that of the stored response that was judged. */
  | { readonly kind: 'failed'; readonly callToken: string; readonly failure: Failure; readonly call: CallOutcome }
  /** The endpoint cannot do what was asked: remember the lesser mode (`null`: it is the same), ask again; no attempt counted. */
  | { readonly kind: 'downgraded'; readonly mode: StructuredMode | null; readonly failure: Failure; readonly call: CallOutcome }
  /** Claimed and not sent: back at once, nothing counted. */
  | { readonly kind: 'handed_back' }
  /** The job's verdict, from a finish step. */
  | { readonly kind: 'finished'; readonly result: JobResult }
  /**
   * From a finish step: the parts are answered, and one more call makes an answer of them. It draws on the lane of the job's `chunk`
   * steps: a worker cannot know lanes, whose ids hold the hash of the planner's key. The job's `finish` follows it anew.
   */
  | { readonly kind: 'reduce'; readonly step: FollowingStep }
  /** The checks could not run. */
  | { readonly kind: 'unjudged'; readonly failure: Failure };

/** Nothing more is sent: to this model of the run, to the models that share its limits, or with this key. */
export type Paused = LanePause & { readonly scope: 'model' | 'lane' | 'account' };

export type Settled =
  /** The lease was lost: nothing was written. */
  | { readonly applied: false }
  | {
      readonly applied: true;
      /** The job's finish step, leased to the same worker, when this was its last call. */
      readonly finish: Claim | null;
      /** Set when the step was put back with a later time. */
      readonly retryAtMs: number | null;
      /** Set when the job ended here, or with `again` failed once more: another of its steps had ended it before. */
      readonly ended: { readonly state: JobState; readonly error: JobError | null; readonly again?: true } | null;
      /** What this call's end paused; `null` when nothing, or what it would pause is paused for as long already. */
      readonly paused: Paused | null;
    };
