import type { Usage } from '../domain/money.ts';
import type { Reason } from '../domain/reason.ts';
import type { Origin } from '../domain/result.ts';
import type { JobRow } from './rows.ts';

/** A job's row as a statement selects it. */
export type JobColumns = Omit<JobRow, 'error' | 'usage' | 'origin'> &
  Usage & {
    readonly errorReason: Reason | null;
    readonly errorMessage: string | null;
    /** Who paid for the answer, or for most of several. */
    readonly originRunId: string | null;
    readonly originJobId: string | null;
    readonly originCostNanoUsd: number | null;
  };

export function jobRowOf(columns: JobColumns): JobRow {
  const { errorReason, errorMessage, originRunId, originJobId, originCostNanoUsd, ...row } = columns;
  const { uncachedInput, cacheRead, cacheWrite, output, reasoning, ...rest } = row;
  const failed = errorReason !== null && errorMessage !== null;
  return {
    ...rest,
    error: failed ? { reason: errorReason, message: errorMessage } : null,
    usage: { uncachedInput, cacheRead, cacheWrite, output, reasoning },
    origin: originOf(columns),
  };
}

/** Where a cached answer was paid for; of several answers, who paid for most of them. */
function originOf({ cached, originRunId, originJobId, originCostNanoUsd, latencyMs }: JobColumns): Origin | null {
  if (!cached || originRunId === null || originJobId === null || latencyMs === null) return null;
  return { runId: originRunId, jobId: originJobId, costNanoUsd: originCostNanoUsd, latencyMs };
}
