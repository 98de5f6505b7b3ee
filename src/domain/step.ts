export type CallStepKind = 'answer' | 'chunk' | 'reduce' | 'reask' | 'judge';
export type StepKind = CallStepKind | 'finish';
export type StepState = 'waiting' | 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** Age that one point of priority is worth, so that priority orders work but starves none. */
const PRIORITY_POINT_MS = 10 * 60_000;

/** Claims go by this value, smallest first, then by plan order. */
export function orderMs(enqueuedAtMs: number, priority: number): number {
  return enqueuedAtMs - priority * PRIORITY_POINT_MS;
}
