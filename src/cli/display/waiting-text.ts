import { oneLine } from '../../domain/hostile-text.ts';
import type { Waiting } from '../../store/rows.ts';
import { duration } from '../terminal/format.ts';

/** The store's words for why steps wait, as a person would say them; `lane` is the provider's name. `--json` keeps the store's. */
const REASONS: Record<Waiting['why'], (lane: string, slots: Waiting['slots']) => string> = {
  lane_paused: (lane) => `${lane} is paused`,
  model_paused: () => 'a model is paused',
  lane_cooldown: (lane) => `${lane} wants a pause`,
  lane_breaker: (lane) => `${lane} is failing; probing again`,
  lane_concurrency: (lane, slots) => `${takenText(slots)}slots of ${lane} taken (limits.concurrency${mostText(slots)})`,
  lane_requests: (lane) => `waits for requests of ${lane}`,
  lane_tokens: (lane) => `waits for tokens of ${lane}`,
  budget_usd: () => 'budget.usd is reached',
  budget_tokens: () => 'budget.tokens is reached',
  budget_minutes: () => 'budget.minutes is reached',
  budget_group: () => 'the budget of the group is reached',
  fail_fast: () => 'failFast',
  run_concurrency: (_, slots) => `${takenText(slots)}run slots taken (runConcurrency)`,
  store_maximum: (_, slots) => `${takenText(slots)}slots of all runs taken (store set maxRunning)`,
  tags: () => 'needs a worker',
  backoff: () => 'to be tried again',
};

/** `4 of 4 `: over all processes. */
function takenText(slots: Waiting['slots']): string {
  return slots === undefined ? '' : `${slots.taken} of ${slots.of} `;
}

/** A server that refuses, or gets slower, is asked for fewer at once than the manifest states. */
function mostText(slots: Waiting['slots']): string {
  return slots === undefined || slots.of === slots.atMost ? '' : ` = ${slots.atMost} at most`;
}

/** A lane whose name nobody knows is some provider. */
export function laneName({ lane }: Pick<Waiting, 'lane'>): string {
  return lane === undefined || lane === null ? 'the provider' : oneLine(lane);
}

function reasonText(waiting: Waiting): string {
  const { why, tags = [], slots } = waiting;
  return `${REASONS[why](laneName(waiting), slots)}${why === 'tags' ? ` with tags ${tags.join(', ')}` : ''}`;
}

/** Why steps wait, how long still, and what the provider said, on one line. */
export function waitingText(waiting: Waiting, nowMs: number): string {
  const { why, untilMs, message } = waiting;
  const next = untilMs === null || untilMs <= nowMs ? '' : `${why === 'lane_breaker' ? ' in' : ', next in'} ${duration(untilMs - nowMs)}`;
  return `${reasonText(waiting)}${next}${message === null ? '' : `: ${oneLine(message)}`}`;
}

/** All that is waited for, on one line: `4 waiting: …`. */
export function allWaitingText(waiting: readonly Waiting[], nowMs: number): string {
  return waiting.map((each) => `${each.count} waiting: ${waitingText(each, nowMs)}`).join(' · ');
}
