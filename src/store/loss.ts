import type { Failure } from '../domain/reason.ts';

/** How a lease was lost: its worker still beats and has only let go of a step past its deadline, or it died. */
export function lossOf(beats: boolean): Failure {
  return beats
    ? { class: 'transient', reason: 'deadline', message: 'the step passed its deadline; its worker still runs' }
    : { class: 'transient', reason: 'worker_lost', message: 'the worker that held this step stopped before it was done' };
}
