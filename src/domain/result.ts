import type { Json } from './canonical-json.ts';
import type { StructuredMode } from './completion.ts';
import type { Coverage } from './coverage.ts';
import type { Reason } from './reason.ts';
import type { Score } from './score.ts';
import type { JobVerdict } from './verdict.ts';

/** Where a cached answer was first paid for. Of several: who paid for most of them, the cost of all, and the longest of their latencies. */
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
  /** The call whose response gave the answer; `null` when it was put together from the answers of several. */
  readonly callToken: string | null;
  /** Absent in results of before it was kept. */
  readonly coverage?: Coverage | undefined;
};

export type JobError = { readonly reason: Reason; readonly message: string };
