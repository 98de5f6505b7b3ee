import { UserError } from '../domain/errors.ts';
import type { RunState } from '../domain/run.ts';

const STATE_REFUSES = 7;

/** A run that is to be removed. */
export type PruneCandidate = {
  readonly runId: string;
  readonly state: RunState;
  /** Jobs that are not ended, or of which a step still runs. */
  readonly openJobs: number;
};

/** Why a run stays: `E20`, exit 7. `null`: it may go. */
export function pruneRefusal({ runId, state, openJobs }: PruneCandidate): UserError | null {
  if (state !== 'finished' && state !== 'cancelled') return refused(runId, `it is not finished (${state})`);
  return openJobs > 0 ? refused(runId, 'paid work of it is not ended') : null;
}

function refused(runId: string, why: string): UserError {
  const next = [`aieval status ${runId}`, `aieval cancel ${runId}`];
  return new UserError({ code: 'E20', exitCode: STATE_REFUSES, message: `run ${runId} is not removed: ${why}.`, next });
}
