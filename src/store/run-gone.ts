import { UserError } from '../domain/errors.ts';

/** Somebody looked the run up, and it was removed since: `E31`, exit 2. */
export function runGone(runId: string): UserError {
  const message = `run ${runId} is not in this database any more`;
  return new UserError({ code: 'E31', exitCode: 2, message, next: ['aieval status'] });
}
