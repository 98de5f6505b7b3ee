import type { ResolvedManifest, ResolvedModel } from '../domain/manifest/resolved.ts';
import type { NewJob, NewLane } from '../store/plan-rows.ts';
import type { OutputMean } from '../store/rows.ts';
import { answerTokens } from './length-limit.ts';
import { distinctCalls, type Question, timeOf } from './plan-cost.ts';
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
  /** Those that will be asked. */
  readonly jobs: readonly NewJob[];
  readonly means: readonly OutputMean[];
};

type Timed = Question & { readonly ms: number | null };
type Bound = NonNullable<TimeEstimate['slowest']>;

const MINUTE_MS = 60_000;

/** The slowest lane decides, or this process where its own `concurrency` does. */
export function timeEstimate({ manifest, routes, jobs, means }: TimeInput): TimeEstimate {
  const questions = distinctCalls(jobs).map((question) => ({ ...question, ms: latencyOf(manifest, routes, question, means) }));
  const untimed = new Set(questions.flatMap(({ ms, model }) => (ms === null ? [model] : [])));
  const atOnce = Math.min(manifest.concurrency, manifest.runConcurrency ?? Number.POSITIVE_INFINITY);
  const bounds = [
    ...lanesOf(manifest, routes).flatMap((lane) => laneBounds({ manifest, lane, means, atOnce }, ofLane(questions, lane, routes))),
    ...callBounds(null, questions, atOnce),
  ];
  const slowest = bounds.reduce<Bound | null>((most, bound) => (most === null || bound.ms > most.ms ? bound : most), null);
  return { slowest, untimed: [...untimed] };
}

function latencyOf(
  { models }: ResolvedManifest,
  routes: ReadonlyMap<string, Route>,
  { task, model: id }: Question,
  means: readonly OutputMean[],
): number | null {
  const [model, route] = [models[id], routes.get(id)];
  return model === undefined || route === undefined ? null : timeOf({ task, model: model.model, endpoint: route.endpoint }, means);
}

function ofLane(questions: readonly Timed[], { laneId }: NewLane, routes: ReadonlyMap<string, Route>): Timed[] {
  return questions.filter(({ model }) => routes.get(model)?.laneId === laneId);
}

type LaneInput = {
  readonly manifest: ResolvedManifest;
  readonly lane: NewLane;
  readonly means: readonly OutputMean[];
  readonly atOnce: number;
};

function laneBounds({ manifest, lane, means, atOnce }: LaneInput, questions: readonly Timed[]): Bound[] {
  const { requestsPerMinute, tokensPerMinute } = lane;
  if (questions.length === 0) return [];
  const models = new Set(questions.map(({ model }) => model));
  const name = models.size === 1 ? [...models].join() : lane.label;
  const tokens = questions.reduce((sum, question) => sum + grantedTokens(manifest.models[question.model], question, lane, means), 0);
  return [
    ...callBounds(name, questions, Math.min(lane.concurrency, atOnce)),
    ...paceBound('requests', lane.label, questions.length, requestsPerMinute),
    ...paceBound('tokens', lane.label, tokens, tokensPerMinute),
  ];
}

/** Of those that were timed. */
function callBounds(name: string | null, questions: readonly Timed[], atOnce: number): Bound[] {
  const times = questions.flatMap(({ ms }) => (ms === null ? [] : [ms]));
  if (times.length === 0) return [];
  const all = times.reduce((sum, ms) => sum + ms, 0);
  const longest = times.reduce((most, ms) => Math.max(most, ms), 0);
  const beside = Math.min(atOnce, times.length);
  return [
    {
      ms: Math.max(longest, all / beside),
      basis: { by: 'calls', name, calls: times.length, latencyMs: all / times.length, atOnce: beside },
    },
  ];
}

function paceBound(by: 'requests' | 'tokens', name: string, amount: number, perMinute: number | null): Bound[] {
  return perMinute === null ? [] : [{ ms: (amount / perMinute) * MINUTE_MS, basis: { by, name, perMinute } }];
}

/** As the lane counts them: see `tokenAccounting`. */
function grantedTokens(
  model: ResolvedModel | undefined,
  { task, tokens }: Question,
  { tokenAccounting }: NewLane,
  means: readonly OutputMean[],
): number {
  if (model === undefined) return tokens.inputTokens;
  const most = answerTokens(model);
  const mean = means.find((each) => each.task === task && each.model === model.model)?.tokens ?? most / 2;
  return tokens.inputTokens + (tokenAccounting === 'reserved' ? most : Math.min(most, mean));
}
