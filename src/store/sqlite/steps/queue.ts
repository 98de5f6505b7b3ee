import { admit, admitAny, type Totals } from '../../../domain/admit.ts';
import type { LaneState } from '../../../domain/lane/lane.ts';
import { tokensOf } from '../../../domain/lane/pace.ts';
import { covers, needsOf } from '../../../domain/tags.ts';
import { estimateOf, worstOf } from '../../estimate.ts';
import { byAge, type Grant, isOutOfMoney, type Look as LookAt, leastLoaded } from '../../fairest.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { View } from '../transactor.ts';
import { loadLanes } from './lanes.ts';
import { isWarming, NOT_FOLLOWING } from './prefixes.ts';
import { STEP_COLUMNS, type Step } from './step-row.ts';

/**
 * What a step needs to start: its key is in nobody's flight, nor runs in this run under the flight's name of an earlier cache mode; no
 * re-ask of its key is open, and it is no second suspect for its worker. A re-ask of another run counts only while that run works, so
 * that an abandoned run blocks no one.
 */
const STARTABLE = `
  NOT EXISTS (SELECT 1 FROM steps f WHERE f.flight_key = s.flight_key AND f.state = 'running')
  AND NOT EXISTS (SELECT 1 FROM steps f WHERE f.run_id = s.run_id AND f.key = s.key AND f.state = 'running')
  AND (s.kind = 'reask' OR NOT EXISTS (
    SELECT 1 FROM steps r
    WHERE r.flight_key = s.flight_key AND r.kind = 'reask' AND r.state IN ('waiting', 'queued', 'running')
      AND (r.run_id = s.run_id OR EXISTS (SELECT 1 FROM steps w WHERE w.run_id = r.run_id AND w.state = 'running'))))
  AND (:suspectHeld = 0 OR NOT EXISTS (
    SELECT 1 FROM keys k WHERE k.run_id = s.run_id AND k.key = s.failure_key AND k.suspect = 1))`;

// One step of an index, whatever the length of the queue.
function head(queue: string): string {
  return `
SELECT ${STEP_COLUMNS} FROM steps s
WHERE s.run_id = :runId AND s.state = 'queued' AND s.parked = 0 AND ${queue} AND ${STARTABLE}
ORDER BY s.order_ms, s.seq, s.step_id LIMIT 1`;
}

const FREE_HEAD = head('s.gate IS NULL');
const HEAD = head('s.gate = :gate AND s.requires = :requires');

/** A claim does not look further for a step that need not wait for a first token, which comes soon, or that costs nothing. */
const FRONT = 1000;

function firstOfFront(condition: string): string {
  return `
SELECT ${STEP_COLUMNS} FROM (
  SELECT q.step_id FROM steps q WHERE q.run_id = :runId AND q.state = 'queued' AND q.parked = 0 AND q.gate = :gate AND q.requires = :requires
  ORDER BY q.order_ms, q.seq, q.step_id LIMIT ${FRONT}) front CROSS JOIN steps s ON s.step_id = front.step_id
WHERE ${condition} AND ${NOT_FOLLOWING} AND ${STARTABLE}
ORDER BY s.order_ms, s.seq, s.step_id LIMIT 1`;
}

const HEAD_WHILE_WARMING = firstOfFront('true');

const HEAD_OF_MODELS = firstOfFront(`
(SELECT j.model FROM jobs j WHERE j.run_id = s.run_id AND j.job_id = s.job_id) IN (SELECT value FROM json_each(:models))`);

/** Who looks: `suspectHeld` is 1 for a worker that may take no further suspect; `tags`: what its machine has, `null` for everything. */
export type Looker = { readonly suspectHeld: 0 | 1; readonly tags: readonly string[] | null };

/** The first step that could start without any grant: it only needs an answer that is there, and is for every machine. */
export function freeStep({ sql }: View, { runId }: RunFacts, { suspectHeld }: Looker): Step | null {
  return sql.one<Step>(FREE_HEAD, { runId, suspectHeld }) ?? null;
}

/** The first step of a lane that the looker may have. Each set of tags that the run's tasks need is a queue of its own. */
function firstStep({ view, run, looker }: Looking, statement: string, values: Params): Step | null {
  const { suspectHeld, tags } = looker;
  const needs = needsOf(run.settings.requires).filter((need) => tags === null || covers(tags, need));
  const steps = needs.flatMap((requires) => view.sql.one<Step>(statement, { runId: run.runId, suspectHeld, requires, ...values }) ?? []);
  return steps.sort(byAge)[0] ?? null;
}

type Params = { readonly gate: string; readonly models?: string };

export type Look = LookAt<Step>;

/** What the run's lanes would do next. It costs the same however long their queues are. */
export function lookAtLanes(view: View, run: RunFacts, looker: Looker): readonly Look[] {
  const { lanes, totals } = loadLanes(view, run);
  return lanes.map((lane) => lookAt({ view, run, looker, totals }, lane));
}

type Looking = { readonly view: View; readonly run: RunFacts; readonly looker: Looker; readonly totals: Totals };

function lookAt(looking: Looking, lane: LaneState): Look {
  const { view, totals } = looking;
  const admission = admitAny(view.nowMs, lane, totals);
  if (admission.kind === 'blocked') return { lane, step: null, takes: null, admission, warming: false };
  const warming = isWarming(view, lane.id);
  const step = firstStep(looking, warming ? HEAD_WHILE_WARMING : HEAD, { gate: lane.id });
  if (step === null) return { lane, step, takes: null, admission, warming };
  const look = lookAtStep(looking, lane, step);
  const free = isOutOfMoney(look.admission) ? headOfFreeModels(looking, lane) : null;
  return { lane, warming, ...(free === null ? look : lookAtStep(looking, lane, free)) };
}

function lookAtStep({ view, run, totals }: Looking, lane: LaneState, step: Step): Pick<Look, 'step' | 'takes' | 'admission'> {
  const worst = worstOf(run, step);
  const grantedTokens = tokensOf(lane.pace, step.model, estimateOf(run, step));
  return { step, takes: { worst, grantedTokens }, admission: admit(view.nowMs, { tokens: grantedTokens, worst }, lane, totals) };
}

/** Where the money is spent, the first step of a model that costs nothing; of the front alone, so that it costs the same for any queue. */
function headOfFreeModels(looking: Looking, lane: LaneState): Step | null {
  const models = Object.entries(looking.run.settings.rates).flatMap(([model, { price }]) => (price === 'free' ? [model] : []));
  if (models.length === 0) return null;
  return firstStep(looking, HEAD_OF_MODELS, { gate: lane.id, models: JSON.stringify(models) });
}

const COUNT_OWN = `
SELECT gate AS laneId, count(*) AS running FROM steps
WHERE state = 'running' AND lease_owner = :workerId AND gate IS NOT NULL GROUP BY gate`;

/** What a worker starts next, of what its lanes would start. */
export function fairestGrant({ sql }: View, workerId: string, looks: readonly Look[]): Grant<Step> | null {
  const grants = looks.flatMap(({ lane, step, takes, admission }) =>
    step === null || takes === null || admission.kind === 'blocked' ? [] : [{ lane, step, takes }],
  );
  if (grants.length <= 1) return grants[0] ?? null;
  const counts = sql.all<{ laneId: string; running: number }>(COUNT_OWN, { workerId });
  return leastLoaded(grants, new Map(counts.map(({ laneId, running }) => [laneId, running])));
}
