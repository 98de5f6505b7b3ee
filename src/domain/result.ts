import type { Json } from './canonical-json.ts';
import type { StructuredMode } from './completion.ts';
import type { Reason } from './reason.ts';
import type { Score } from './score.ts';
import type { JobVerdict } from './verdict.ts';

/** Where a cached answer was first paid for. */
export type Origin = { readonly runId: string; readonly jobId: string; readonly costNanoUsd: number | null; readonly latencyMs: number };

/** What the finish step of a job leaves behind. */
export type JobResult = {
  readonly verdict: Exclude<JobVerdict, 'error'>;
  readonly scores: readonly Score[];
  /** The answer as judged: parsed JSON, or a string for text. */
  readonly answer: Json;
  /** The JSON was mended before it fitted the schema. */
  readonly repaired: boolean;
  /** The answer came from the re-ask. */
  readonly reasked: boolean;
  readonly mode: StructuredMode | null;
  /** The call whose response gave the answer. */
  readonly callToken: string;
};

export type JobError = { readonly reason: Reason; readonly message: string };
