import type { FinishReason, ModelParams } from './completion.ts';
import type { JobState } from './job.ts';
import type { Usage } from './money.ts';
import type { Failure, Reason } from './reason.ts';
import type { JobVerdict } from './verdict.ts';

/**
 * What a process tells of the work that it does, for logs, metrics and traces. Names, numbers and reasons only: no word of a document, a
 * prompt, an answer or a server is in it, so that whoever hears it cannot give one away.
 */
export type WorkNews =
  | { readonly kind: 'step.started'; readonly step: WorkedStep; readonly atMs: number }
  | { readonly kind: 'call.ended'; readonly step: WorkedStep; readonly atMs: number; readonly call: EndedCall }
  | {
      readonly kind: 'step.ended';
      readonly step: WorkedStep;
      readonly atMs: number;
      /** What came of this try; `lost`: its lease was. */
      readonly outcome: string;
      readonly failure: WorkFailure | null;
      /** Set when it is tried again. */
      readonly retryAtMs: number | null;
    }
  | {
      readonly kind: 'job.ended';
      readonly step: WorkedStep;
      readonly atMs: number;
      readonly state: JobState;
      readonly verdict: JobVerdict;
      /** Its answer was known: nothing was asked. */
      readonly cached: boolean;
      /** Why it could not be evaluated. */
      readonly reason: Reason | null;
    };

export type OnWork = (news: WorkNews) => void;

/** A step that is worked on, and whose it is. */
export type WorkedStep = {
  readonly runId: string;
  readonly workerId: string;
  readonly jobId: string;
  readonly documentId: string;
  readonly task: string;
  /** As the manifest names them. */
  readonly model: string;
  readonly provider: string;
  /** `answer`, `chunk`, `reduce`, `reask`, `finish`. */
  readonly stepKind: string;
  /** Token of the claim: new for every try. */
  readonly token: string;
  /** 1-based number of this try of its question; `null` where nothing is asked. */
  readonly attempt: number | null;
};

/** What is known of a failure without a server's words. */
export type WorkFailure = Pick<Failure, 'class' | 'reason' | 'status'>;

/** One request to a provider that is over. */
export type EndedCall = {
  readonly startedAtMs: number;
  /** What the provider calls the model. */
  readonly modelName: string;
  readonly params: Pick<ModelParams, 'temperature' | 'topP' | 'seed' | 'maxOutputTokens'>;
  readonly baseUrl: string | null;
  /** As the provider numbers the request; `null` where it does not. */
  readonly providerRequestId: string | null;
  readonly latencyMs: number;
  readonly result:
    | {
        readonly ok: true;
        readonly modelName: string;
        readonly finishReason: FinishReason;
        readonly usage: Usage | null;
        readonly costNanoUsd: number | null;
        /** `null` when the answer came in one piece. */
        readonly firstTokenMs: number | null;
      }
    | { readonly ok: false; readonly failure: WorkFailure; readonly costNanoUsd: number | null };
};
