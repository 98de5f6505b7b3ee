import type { Completion } from '../domain/completion.ts';
import type { Page } from '../domain/document.ts';
import type { Usage } from '../domain/money.ts';
import type { Part } from '../domain/part.ts';
import type { Failure } from '../domain/reason.ts';
import type { StepKind } from '../domain/step.ts';
import type { StoredText } from './request-file.ts';
import type { JobSource } from './result-line.ts';

/** All that a job's folder is made of: what the store records of the job, the responses of its calls, its document's text. */
export type JobArtifacts = {
  readonly job: JobSource & { readonly bytesSha256: string | null; readonly textSha256: string | null; readonly endedAtMs: number | null };
  readonly steps: readonly StepSource[];
  readonly attempts: readonly AttemptSource[];
  readonly calls: readonly CallSource[];
  /** By call token: those of `calls` and `steps` that are stored, and the one that gave the answer; it may be another run's. */
  readonly completions: ReadonlyMap<string, Completion>;
  readonly text: StoredText | null;
  readonly pages: readonly Page[];
};

export type StepSource = {
  readonly stepId: number;
  readonly kind: StepKind;
  readonly index: number;
  /** The call that answered it, which may be another job's. */
  readonly callToken: string | null;
  readonly part: Part | null;
};

export type AttemptSource = {
  readonly stepId: number;
  readonly number: number;
  readonly callToken: string | null;
  readonly outcome: string;
  readonly failure: Failure | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
};

export type CallSource = {
  readonly callToken: string;
  readonly stepId: number;
  readonly state: string;
  readonly usage: Usage | null;
  readonly costNanoUsd: number | null;
  readonly sentAtMs: number | null;
};

/** `answer-1`, `chunk-12`, `reask-12`: a step by its kind and its 1-based place. The re-ask of a `reduce` is `reask-reduce`. */
export function stepName(steps: readonly Pick<StepSource, 'stepId' | 'kind' | 'index' | 'part'>[], stepId: number): string {
  const step = steps.find((candidate) => candidate.stepId === stepId);
  if (step === undefined) return `step-${stepId}`;
  // Places of parts count from one as well.
  if (step.kind === 'reask' && step.part === null && steps.some(({ part }) => part !== null)) return 'reask-reduce';
  return `${step.kind}-${step.index + 1}`;
}

/** Calls in the order they were sent, whatever order the rows came in. */
export function inSendOrder(calls: readonly CallSource[]): readonly CallSource[] {
  const when = (call: CallSource) => call.sentAtMs ?? Number.MAX_SAFE_INTEGER;
  return [...calls].sort((a, b) => when(a) - when(b) || (a.callToken < b.callToken ? -1 : 1));
}
