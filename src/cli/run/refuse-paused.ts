import { UserError } from '../../domain/errors.ts';
import type { RunRow } from '../../store/rows.ts';
import { EXIT } from '../exit-codes.ts';

/** Throws `UserError` (exit 7) for a paused run: somebody wants that nothing of it is started now. */
export function refusePaused({ runId, state }: Pick<RunRow, 'runId' | 'state'>): void {
  if (state !== 'paused') return;
  throw new UserError({ code: 'E20', exitCode: EXIT.refused, message: `run ${runId} is paused`, next: [`aieval resume ${runId}`] });
}
