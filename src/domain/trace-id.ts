import { createHash } from 'node:crypto';

/**
 * 32 hexadecimal digits for a run: the id of its trace. Made of the run's id, so that every process that works on the run, and every line of
 * their logs, has the same one without a word between them.
 */
export function traceIdOf(runId: string): string {
  return createHash('sha256').update(`aieval run ${runId}`).digest('hex').slice(0, 32);
}
