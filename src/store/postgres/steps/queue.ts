import { admit, admitAny, type Totals } from '../../../domain/admit.ts';
import type { LaneState } from '../../../domain/lane/lane.ts';
import { tokensOf } from '../../../domain/lane/pace.ts';
import { estimateOf, worstOf } from '../../estimate.ts';
import { type Grant, isOutOfMoney, type Look as LookAt, leastLoaded } from '../../fairest.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { View } from '../transactor.ts';
import { loadLanes } from './lanes.ts';
import { NOT_FOLLOWING, WARMING_LANES } from './prefixes.ts';
import { FAILURE_KEY, STEP_COLUMNS, type Step } from './step-row.ts';

/**
 * What a step needs to start: its key is in nobody's flight, nor runs in this run under the flight's name of an earlier cache mode; no
 * re-ask of its key is open, and it is no second suspect for its worker. A re-ask of another run counts only while that run works, so
 * that an abandoned run blocks no one. Two runs that see the same flight free at the same moment are told apart by its index.
 */
const STARTABLE = `
  NOT EXISTS (SELECT 1 FROM steps f WHERE f.flight_key = s.flight_key AND f.state = 'running')
  AND NOT EXISTS (SELECT 1 FROM steps f WHERE f.run_id = s.run_id AND f.key = s.key AND f.state = 'running')
  AND (s.kind = 'reask' OR NOT EXISTS (
    SELECT 1 FROM steps r
    WHERE r.flight_key = s.flight_key AND r.kind = 'reask' AND r.state IN ('waiting', 'queued', 'running')
      AND (r.run_id = s.run_id OR EXISTS (SELECT 1 FROM steps w WHERE w.run_id = r.run_id AND w.state = 'running'))))
  AND (NOT :suspectHeld::boolean OR NOT EXISTS (
    SELECT 1 FROM keys k WHERE k.run_id = s.run_id AND k.key = ${FAILURE_KEY} AND k.suspect))`;

// The run's row is locked, so that nobody else takes its steps; no row of them need be.
function head(gate: string): string {
  return `
SELECT ${STEP_COLUMNS} FROM steps s
WHERE s.run_id = :runId AND s.state = 'queued' AND NOT s.parked AND ${gate} AND ${STARTABLE}
ORDER BY s.order_ms, s.seq, s.step_id LIMIT 1`;
}

const FREE_HEAD = head('s.gate IS NULL');
const HEAD = head('s.gate = :gate');

/** A claim does not look further for a step that need not wait for a first token, which comes soon, or that costs nothing. */
const FRONT = 1000;

function firstOfFront(condition: string): string {
  return `
SELECT ${STEP_COLUMNS} FROM (
  SELECT q.step_id FROM steps q WHERE q.run_id = :runId AND q.state = 'queued' AND NOT q.parked AND q.gate = :gate
  ORDER BY q.order_ms, q.seq, q.step_id LIMIT ${FRONT}) front JOIN steps s ON s.step_id = front.step_id
WHERE ${condition} AND ${NOT_FOLLOWING} AND ${STARTABLE}
ORDER BY s.order_ms, s.seq, s.step_id LIMIT 1`;
}

const HEAD_WHILE_WARMING = firstOfFront('true');

const HEAD_OF_MODELS = firstOfFront(`
(SELECT j.model FROM jobs j WHERE j.run_id = s.run_id AND j.job_id = s.job_id) = ANY (:models::text[])`);

/** Who looks: `suspectHeld` for a worker that may take no further suspect. */
export type Looker = { readonly suspectHeld: boolean };

/** The first step that could start without any grant: it only needs an answer that is there. */
export async function freeStep({ sql }: View, { runId }: RunFacts, { suspectHeld }: Looker): Promise<Step | null> {
  return (await sql.one<Step>(FREE_HEAD, { runId, suspectHeld })) ?? null;
}

export type Look = LookAt<Step>;

/** What the run's lanes would do next. It costs the same however long their queues are. */
export async function lookAtLanes(view: View, run: RunFacts, looker: Looker): Promise<readonly Look[]> {
  const [{ lanes, totals }, rows] = await Promise.all([loadLanes(view, run), view.sql.all<{ laneId: string }>(WARMING_LANES)]);
  const warming = new Set(rows.map(({ laneId }) => laneId));
  return Promise.all(lanes.map((lane) => lookAt({ view, run, looker, totals, warming }, lane)));
}

type Looking = {
  readonly view: View;
  readonly run: RunFacts;
  readonly looker: Looker;
  readonly totals: Totals;
  readonly warming: ReadonlySet<string>;
};

async function lookAt(looking: Looking, lane: LaneState): Promise<Look> {
  const { view, run, looker, totals } = looking;
  const admission = admitAny(view.nowMs, lane, totals);
  if (admission.kind === 'blocked') return { lane, step: null, takes: null, admission, warming: false };
  const warming = looking.warming.has(lane.id);
  const values = { runId: run.runId, gate: lane.id, ...looker };
  const step = (await view.sql.one<Step>(warming ? HEAD_WHILE_WARMING : HEAD, values)) ?? null;
  if (step === null) return { lane, step, takes: null, admission, warming };
  const look = lookAtStep(looking, lane, step);
  const free = isOutOfMoney(look.admission) ? await headOfFreeModels(looking, lane) : null;
  return { lane, warming, ...(free === null ? look : lookAtStep(looking, lane, free)) };
}

function lookAtStep({ view, run, totals }: Looking, lane: LaneState, step: Step): Pick<Look, 'step' | 'takes' | 'admission'> {
  const worst = worstOf(run, step);
  const grantedTokens = tokensOf(lane.pace, step.model, estimateOf(run, step));
  return { step, takes: { worst, grantedTokens }, admission: admit(view.nowMs, { tokens: grantedTokens, worst }, lane, totals) };
}

/** Where the money is spent, the first step of a model that costs nothing; of the front alone, so that it costs the same for any queue. */
async function headOfFreeModels({ view, run, looker }: Looking, lane: LaneState): Promise<Step | null> {
  const models = Object.entries(run.settings.rates).flatMap(([model, { price }]) => (price === 'free' ? [model] : []));
  if (models.length === 0) return null;
  return (await view.sql.one<Step>(HEAD_OF_MODELS, { runId: run.runId, gate: lane.id, models, ...looker })) ?? null;
}

const COUNT_OWN = `
SELECT gate AS lane_id, count(*) AS running FROM steps
WHERE state = 'running' AND lease_owner = :workerId AND gate IS NOT NULL GROUP BY gate`;

/** What a worker starts next, of what its lanes would start. */
export async function fairestGrant({ sql }: View, workerId: string, looks: readonly Look[]): Promise<Grant<Step> | null> {
  const grants = looks.flatMap(({ lane, step, takes, admission }) =>
    step === null || takes === null || admission.kind === 'blocked' ? [] : [{ lane, step, takes }],
  );
  if (grants.length <= 1) return grants[0] ?? null;
  const counts = await sql.all<{ laneId: string; running: number }>(COUNT_OWN, { workerId });
  return leastLoaded(grants, new Map(counts.map(({ laneId, running }) => [laneId, running])));
}

export const QUEUE_STATEMENTS: StoredTexts = { rows: { FREE_HEAD, HEAD, HEAD_WHILE_WARMING, HEAD_OF_MODELS, COUNT_OWN } };
