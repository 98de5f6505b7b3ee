import type { Waiting } from '../store/rows.ts';

/** Without a time named these end by a person's doing only; any other wait ends with a call that is running somewhere. */
const STOPS: ReadonlySet<Waiting['why']> = new Set<Waiting['why']>([
  'lane_paused',
  'model_paused',
  'tags',
  'budget_usd',
  'budget_tokens',
  'budget_minutes',
  'budget_group',
  'fail_fast',
]);

/** Whether steps that wait for this were stopped: by a pause, a budget or failures, not by other work. */
export function isStop({ why }: Pick<Waiting, 'why'>): boolean {
  return STOPS.has(why);
}

/**
 * Whether nobody should wait for any of this: a person must act, or the time is further off than `maxWaitMs`. With an endless `maxWaitMs`
 * whatever names a time is waited for. False when nothing waits.
 */
export function waitsInVain(waiting: readonly Waiting[], nowMs: number, maxWaitMs: number): boolean {
  return waiting.length > 0 && waiting.every((each) => (each.untilMs === null ? isStop(each) : each.untilMs - nowMs > maxWaitMs));
}
