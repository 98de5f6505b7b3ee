import type { Blocked } from '../domain/admit.ts';
import type { LaneState } from '../domain/lane/lane.ts';
import { limitOf, type Meter } from '../domain/lane/meter.ts';
import type { Waiting } from './rows.ts';

/** What of a run waits on a lane that lets nothing go now. */
export type Waiter = {
  readonly lane: LaneState;
  /** What the manifest calls the lane. */
  readonly label: string | null;
  readonly count: number;
  /** Jobs that failed since a person last started the run. */
  readonly failures: number;
};

/** What so many queued steps wait for. */
export function waitingFor({ lane, label, count, failures }: Waiter, { blockedBy, untilMs, slots }: Blocked): Waiting {
  const wait = { why: blockedBy, laneId: null, count, untilMs, message: null, ...(slots === undefined ? {} : { slots }) };
  if (blockedBy === 'fail_fast') return { ...wait, message: failuresText(failures) };
  if (!blockedBy.startsWith('lane_')) return wait;
  const ofLane = { ...wait, laneId: lane.id, lane: label };
  if (blockedBy !== 'lane_paused' || lane.pause === null) return { ...ofLane, message: rateText(blockedBy, lane) };
  return { ...ofLane, reason: lane.pause.reason, message: lane.pause.message };
}

function failuresText(count: number): string {
  return `${count} ${count === 1 ? 'job' : 'jobs'} could not be evaluated`;
}

/** Which limit is waited for, and who says so. */
function rateText(blockedBy: Blocked['blockedBy'], { limits, pace }: LaneState): string | null {
  if (blockedBy === 'lane_requests') return limitText(pace.requests, limits.requestsPerMinute, 'requestsPerMinute');
  return blockedBy === 'lane_tokens' ? limitText(pace.tokens, limits.tokensPerMinute, 'tokensPerMinute') : null;
}

/** Of several limits the lowest is the one that holds. */
function limitText(meter: Meter, stated: number | null, name: string): string | null {
  const limit = limitOf(meter, stated);
  const found = meter.found?.perMinute ?? Number.POSITIVE_INFINITY;
  if (limit === null || found < limit) return meter.found === null ? null : `the ${perMinute(found)} that it takes`;
  return limit === stated ? `${name} = ${limit}` : `the ${perMinute(limit)} that its headers allow`;
}

function perMinute(rate: number): string {
  return `${Math.round(rate).toLocaleString('en-US')} a minute`;
}

/** Caps over all lanes are one entry, however many lanes wait for them. */
export function withWaiting(list: readonly Waiting[], waiting: Waiting): readonly Waiting[] {
  const same = waiting.laneId === null ? list.findIndex((other) => other.why === waiting.why) : -1;
  if (same === -1) return [...list, waiting];
  return list.map((other, at) => (at === same ? { ...other, count: other.count + waiting.count } : other));
}

/** The first of those that are known. */
export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
