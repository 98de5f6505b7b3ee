import { canonicalJson } from '../../domain/canonical-json.ts';
import type { Gate } from '../../domain/verdict.ts';
import { counted } from '../terminal/format.ts';
import type { JobFate } from './to-call.ts';

/** What is known before anything is asked: more results cannot be evaluated than the gate allows. */
export function gateWords({ maxErrorRate }: Gate, fates: readonly JobFate[]): string[] {
  const all = countResults(fates);
  const failed = all - countResults(fates.filter(({ fate }) => fate !== 'failed' && fate !== 'known_bad'));
  if (failed === 0 || failed / all <= maxErrorRate) return [];
  return [`this run will be INCOMPLETE: ${failed} of ${counted(all, 'result')} cannot be evaluated (gate.maxErrorRate ${maxErrorRate})`];
}

/** Repeats of a question give one result. */
function countResults(fates: readonly JobFate[]): number {
  return new Set(fates.map(({ job }) => canonicalJson([job.documentId, job.task, job.model]))).size;
}
