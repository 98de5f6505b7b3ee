import type { Reason } from '../domain/reason.ts';

/** Failures of these reasons say nothing of another model. */
const OF_MODEL: ReadonlySet<Reason> = new Set<Reason>(['model_unknown', 'unsupported']);

/** Whether a fatal failure pauses its model alone, and not all lanes of its endpoint and key. */
export function pausesModel(reason: Reason): boolean {
  return OF_MODEL.has(reason);
}
