import { admit } from '../../../domain/admit.ts';
import type { RunFacts } from '../runs/run-facts.ts';
import type { Tx } from '../transactor.ts';
import { type Lane, loadLanes } from './lanes.ts';
import { holdsSuspect } from './reap.ts';
import { STEP_COLUMNS, type Step } from './step-row.ts';

/**
 * The first step behind one gate that could start: its key is in nobody's flight, nor runs in this run under the flight's name of an
 * earlier cache mode; no re-ask of its key is open, and it is no second
 * suspect for its worker. A re-ask of another run counts only while that run works, so that an abandoned run blocks no one.
 * `gate IS :gate` finds both a lane's queue and the queue without a gate, each in one step of the index, whatever its length.
 */
const HEAD = `
SELECT ${STEP_COLUMNS} FROM steps s
WHERE s.run_id = :runId AND s.state = 'queued' AND s.parked = 0 AND s.gate IS :gate
  AND NOT EXISTS (SELECT 1 FROM steps f WHERE f.flight_key = s.flight_key AND f.state = 'running')
  AND NOT EXISTS (SELECT 1 FROM steps f WHERE f.run_id = s.run_id AND f.key = s.key AND f.state = 'running')
  AND (s.kind = 'reask' OR NOT EXISTS (
    SELECT 1 FROM steps r
    WHERE r.flight_key = s.flight_key AND r.kind = 'reask' AND r.state IN ('waiting', 'queued', 'running')
      AND (r.run_id = s.run_id OR EXISTS (SELECT 1 FROM steps w WHERE w.run_id = r.run_id AND w.state = 'running'))))
  AND (:suspectHeld = 0 OR NOT EXISTS (
    SELECT 1 FROM keys k WHERE k.run_id = s.run_id AND k.key = s.failure_key AND k.suspect = 1))
ORDER BY s.order_ms, s.seq, s.step_id LIMIT 1`;

/**
 * The step to start next: one that needs no grants, else the oldest over the lanes that may send. A lane that may not send is not
 * looked at, so a claim costs the same however long its queue is. In a cancelled run only what is paid for goes on.
 */
export function nextStep(tx: Tx, run: RunFacts, worker: string): Step | null {
  const suspectHeld = Number(holdsSuspect(tx, worker));
  const head = (gate: string | null) => tx.sql.one<Step>(HEAD, { runId: run.runId, gate, suspectHeld }) ?? null;
  const free = head(null);
  if (free !== null || run.state === 'cancelled') return free;
  let next: Step | null = null;
  for (const lane of sendingLanes(tx, run)) {
    const candidate = head(lane.id);
    if (candidate !== null && (next === null || comesBefore(candidate, next))) next = candidate;
  }
  return next;
}

function sendingLanes(tx: Tx, run: RunFacts): readonly Lane[] {
  const { lanes, totals } = loadLanes(tx, run);
  return lanes.filter((lane) => admit(tx.nowMs, lane, totals).kind === 'grant');
}

function comesBefore(a: Step, b: Step): boolean {
  return (a.orderMs - b.orderMs || a.seq - b.seq || a.stepId - b.stepId) < 0;
}
