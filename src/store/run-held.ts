import { UserError } from '../domain/errors.ts';

const STATE_REFUSES = 7;

/** Another unfinished run has the identity of a run that was to be opened again: `E20`, exit 7. */
export function runHeld(runId: string, holder: string): UserError {
  return new UserError({
    code: 'E20',
    exitCode: STATE_REFUSES,
    message: `run ${runId} cannot be opened again: run ${holder} of the same manifest is unfinished.`,
    next: [`aieval cancel ${holder}`, `aieval retry ${holder}`],
  });
}
