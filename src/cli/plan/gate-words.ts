import type { Gate } from '../../domain/verdict.ts';
import { counted } from '../terminal/format.ts';
import type { ResultTally } from './result-tally.ts';

/** What is known before anything is asked: more results cannot be evaluated than the gate allows. */
export function gateWords({ maxErrorRate }: Gate, results: ResultTally): string[] {
  const [all, failed] = [results.all, results.failed()];
  if (failed === 0 || failed / all <= maxErrorRate) return [];
  return [`this run will be INCOMPLETE: ${failed} of ${counted(all, 'result')} cannot be evaluated (gate.maxErrorRate ${maxErrorRate})`];
}
