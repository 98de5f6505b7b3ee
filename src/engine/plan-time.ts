import type { ResolvedManifest, ResolvedModel } from '../domain/manifest/resolved.ts';
import type { NewLane } from '../store/plan-rows.ts';
import type { OutputMean } from '../store/rows.ts';
import { answerTokens } from './length-limit.ts';
import { type CallSum, callsOf, timeOf } from './plan-cost.ts';
import { lanesOf, type Route } from './routes.ts';

/** What takes the longest: calls beside each other, or what a lane's limits let through in a minute. */
export type TimeBasis =
  | { readonly by: 'calls'; readonly name: string | null; readonly calls: number; readonly latencyMs: number; readonly atOnce: number }
  | { readonly by: 'requests' | 'tokens'; readonly name: string; readonly perMinute: number };

/** How long asking will take, waits for a provider's pauses and retries apart. */
export type TimeEstimate = {
  /** At least this, where some models were not timed yet. `null`: nothing is known. */
  readonly slowest: { readonly ms: number; readonly basis: TimeBasis } | null;
  /** Models of which no call was timed yet; nothing is guessed for them. */
  readonly untimed: readonly string[];
};

export type TimeInput = {
  readonly manifest: ResolvedManifest;
  readonly routes: ReadonlyMap<string, Route>;
  /** Of all calls that will be made. */
  readonly sums: readonly CallSum[];
  readonly means: readonly OutputMean[];
};

/** `ms`: how long each takes; `null`: nobody knows. */
type Timed = CallSum & { readonly ms: number | null };
type Bound = NonNullable<TimeEstimate['slowest']>;

const MINUTE_MS = 60_000;

/** The slowest lane decides, or this process where its own `concurrency` does. */
export function timeEstimate({ manifest, routes, sums, means }: TimeInput): TimeEstimate {
  const timed = sums.map((sum) => ({ ...sum, ms: latencyOf(manifest, routes, sum, means) }));
  const untimed = new Set(timed.flatMap(({ ms, model }) => (ms === null ? [model] : [])));
  const atOnce = Math.min(manifest.concurrency, manifest.runConcurrency ?? Number.POSITIVE_INFINITY);
  const bounds = [
    ...lanesOf(manifest, routes).flatMap((lane) => laneBounds({ manifest, lane, means, atOnce }, ofLane(timed, lane, routes))),
    ...callBounds(null, timed, atOnce),
  ];
  const slowest = bounds.reduce<Bound | null>((most, bound) => (most === null || bound.ms > most.ms ? bound : most), null);
  return { slowest, untimed: [...untimed] };
}

function latencyOf(
  { models }: ResolvedManifest,
  routes: ReadonlyMap<string, Route>,
  { task, model: id }: CallSum,
  means: readonly OutputMean[],
): number | null {
  const [model, route] = [models[id], routes.get(id)];
  return model === undefined || route === undefined ? null : timeOf({ task, model: model.model, endpoint: route.endpoint }, means);
}

function ofLane(timed: readonly Timed[], { laneId }: NewLane, routes: ReadonlyMap<string, Route>): Timed[] {
  return timed.filter(({ model }) => routes.get(model)?.laneId === laneId);
}

type LaneInput = {
  readonly manifest: ResolvedManifest;
  readonly lane: NewLane;
  readonly means: readonly OutputMean[];
  readonly atOnce: number;
};

function laneBounds({ manifest, lane, means, atOnce }: LaneInput, timed: readonly Timed[]): Bound[] {
  const { requestsPerMinute, tokensPerMinute } = lane;
  if (timed.length === 0) return [];
  const models = new Set(timed.map(({ model }) => model));
  const name = models.size === 1 ? [...models].join() : lane.label;
  const tokens = timed.reduce((all, sum) => all + grantedTokens(manifest.models[sum.model], sum, lane, means), 0);
  return [
    ...callBounds(name, timed, Math.min(lane.concurrency, atOnce)),
    ...paceBound('requests', lane.label, callsOf(timed), requestsPerMinute),
    ...paceBound('tokens', lane.label, tokens, tokensPerMinute),
  ];
}

/** Of those that were timed. */
function callBounds(name: string | null, timed: readonly Timed[], atOnce: number): Bound[] {
  const times = timed.flatMap(({ ms, calls }) => (ms === null ? [] : [{ ms, calls }]));
  if (times.length === 0) return [];
  const calls = times.reduce((all, each) => all + each.calls, 0);
  const all = times.reduce((sum, each) => sum + each.ms * each.calls, 0);
  const longest = times.reduce((most, { ms }) => Math.max(most, ms), 0);
  const beside = Math.min(atOnce, calls);
  return [
    {
      ms: Math.max(longest, all / beside),
      basis: { by: 'calls', name, calls, latencyMs: all / calls, atOnce: beside },
    },
  ];
}

function paceBound(by: 'requests' | 'tokens', name: string, amount: number, perMinute: number | null): Bound[] {
  return perMinute === null ? [] : [{ ms: (amount / perMinute) * MINUTE_MS, basis: { by, name, perMinute } }];
}

/** As the lane counts them: see `tokenAccounting`. */
function grantedTokens(
  model: ResolvedModel | undefined,
  { task, calls, inputTokens }: CallSum,
  { tokenAccounting }: NewLane,
  means: readonly OutputMean[],
): number {
  if (model === undefined) return inputTokens;
  const most = answerTokens(model);
  const mean = means.find((each) => each.task === task && each.model === model.model)?.tokens ?? most / 2;
  return inputTokens + calls * (tokenAccounting === 'reserved' ? most : Math.min(most, mean));
}
