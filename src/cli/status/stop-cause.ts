import type { Waiting } from '../../store/rows.ts';

/** What a run that stopped waits for, in one word. */
export type StopCause = 'budget' | 'failFast' | 'provider' | 'limits' | 'retry' | 'tags';

/** Of a wait that ends a run. `limits`: those that the manifest or the provider states; `retry`: the pause before the next try. */
export function causeOf({ why }: Pick<Waiting, 'why'>): StopCause {
  if (why.startsWith('budget_')) return 'budget';
  if (why === 'fail_fast') return 'failFast';
  if (why === 'lane_requests' || why === 'lane_tokens') return 'limits';
  if (why === 'tags') return 'tags';
  return why === 'backoff' ? 'retry' : 'provider';
}

/** The wait that is told first: as the exit codes rank them, then the one that holds the most steps. `null` where nothing waits. */
export function mainWait(waiting: readonly Waiting[]): Waiting | null {
  return [...waiting].sort((a, b) => rank(a) - rank(b) || b.count - a.count)[0] ?? null;
}

function rank(waiting: Waiting): number {
  const cause = causeOf(waiting);
  if (cause === 'budget') return 0;
  if (cause === 'failFast') return 1;
  return waiting.untilMs === null ? 2 : 3;
}
