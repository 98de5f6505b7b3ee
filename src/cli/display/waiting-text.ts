import { oneLine } from '../../domain/hostile-text.ts';
import type { Waiting } from '../../store/rows.ts';
import { duration } from '../terminal/format.ts';

/** The store's words for why steps wait, as a person would say them. `--json` keeps the store's. */
const REASONS: Record<Waiting['why'], string> = {
  lane_paused: 'the provider is paused',
  lane_cooldown: 'the provider wants a pause',
  lane_concurrency: 'provider slots taken (limits.concurrency)',
  run_concurrency: 'run slots taken (runConcurrency)',
  store_maximum: 'slots of all runs taken (store set maxRunning)',
  backoff: 'to be tried again',
};

/** Why steps wait, how long still, and what the provider said, on one line. */
export function waitingText({ why, untilMs, message }: Waiting, nowMs: number): string {
  const next = untilMs === null || untilMs <= nowMs ? '' : `, next in ${duration(untilMs - nowMs)}`;
  return `${REASONS[why]}${next}${message === null ? '' : `: ${oneLine(message)}`}`;
}
