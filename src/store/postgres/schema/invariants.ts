import { type Invariant, invariantsOf } from '../../invariants.ts';
import { UNTIL_A_PERSON_ACTS_MS } from '../../waits.ts';
import { FAILURE_KEY } from '../steps/step-row.ts';

// While a run is being pruned its rows go before its totals do.
const IS_WHOLE = 'run_id NOT IN (SELECT run_id FROM runs WHERE pruned_at_ms IS NOT NULL)';

/** Totals of a task and model that are not what is counted of their jobs, which `from` joins as `j` with what belongs to them. */
function totalsOf(from: string, sums: { readonly [column: string]: string }): string {
  const columns = Object.keys(sums);
  const valuesOf = (table: string) => columns.map((column) => `coalesce(${table}.${column}, 0)`).join(', ');
  return `
SELECT 'run ' || run_id || ', task ' || task || ', model ' || model AS subject
FROM run_totals t FULL JOIN (
  SELECT j.run_id, j.task, j.model, ${columns.map((column) => `${sums[column]} AS ${column}`).join(', ')}
  FROM ${from} GROUP BY j.run_id, j.task, j.model) s USING (run_id, task, model)
WHERE ${IS_WHOLE} AND (${valuesOf('t')}) <> (${valuesOf('s')})`;
}

const countOf = (condition: string) => `count(*) FILTER (WHERE ${condition})`;
const sumOf = (value: string, condition: string) => `sum(${value}) FILTER (WHERE ${condition})`;

const TOTALS_OF_JOBS = totalsOf('jobs j', {
  total: 'count(*)',
  queued: countOf(`j.state = 'queued'`),
  running: countOf(`j.state = 'running'`),
  succeeded: countOf(`j.state = 'succeeded'`),
  failed: countOf(`j.state = 'failed'`),
  cancelled: countOf(`j.state = 'cancelled'`),
  pass: countOf(`j.verdict = 'pass'`),
  fail: countOf(`j.verdict = 'fail'`),
  review: countOf(`j.verdict = 'review'`),
  cached: countOf('j.cached'),
});

const TOTALS_OF_ATTEMPTS = totalsOf('jobs j JOIN attempts a USING (run_id, job_id)', {
  attempts: countOf('a.counted'),
  lost_leases: countOf(`a.outcome = 'lost'`),
  rate_limited: countOf(`a.reason = 'rate_limited'`),
});

const TOTALS_OF_PARTS = totalsOf(`jobs j JOIN steps s USING (run_id, job_id) WHERE s.kind = 'chunk'`, {
  parts: 'count(*)',
  open_parts: countOf(`s.state IN ('waiting', 'queued', 'running')`),
});

const IS_STREAMED = `c.state = 'settled' AND c.latency_ms IS NOT NULL AND c.first_token_ms IS NOT NULL AND c.output IS NOT NULL`;

const TOTALS_OF_CALLS = totalsOf('jobs j JOIN calls c USING (run_id, job_id)', {
  calls: countOf(`c.state IN ('sent', 'settled', 'unknown')`),
  priced_calls: countOf(`c.state = 'settled' AND c.cost_nano_usd IS NOT NULL`),
  unpriced_calls: countOf(`c.state = 'settled' AND c.cost_nano_usd IS NULL`),
  uncertain_calls: countOf(`c.state = 'unknown'`),
  uncertain_unpriced_calls: countOf(`c.state = 'unknown' AND c.worst_nano_usd IS NULL`),
  spent_nano_usd: sumOf('c.cost_nano_usd', `c.state = 'settled'`),
  reserved_nano_usd: sumOf('c.worst_nano_usd', `c.state IN ('reserved', 'sent')`),
  uncertain_nano_usd: sumOf('c.worst_nano_usd', `c.state = 'unknown'`),
  assumed_nano_usd: sumOf('c.worst_nano_usd', `c.state = 'settled' AND c.cost_nano_usd IS NULL`),
  input_tokens: 'sum(c.uncached_input + c.cache_read + c.cache_write)',
  cached_input_tokens: 'sum(c.cache_read)',
  output_tokens: 'sum(c.output)',
  reserved_tokens: sumOf(
    'c.worst_tokens',
    `c.output IS NULL AND c.state <> 'released'
      AND (c.state <> 'settled' OR c.cost_nano_usd IS DISTINCT FROM 0 OR c.estimated OR c.latency_ms IS NOT NULL)`,
  ),
  streamed_calls: countOf(IS_STREAMED),
  first_token_ms: sumOf('c.first_token_ms', IS_STREAMED),
  streamed_output_tokens: sumOf('c.output', IS_STREAMED),
  generating_ms: sumOf('greatest(0, c.latency_ms - c.first_token_ms)', IS_STREAMED),
});

const LATENCIES_OF_CALLS = `
SELECT 'run ' || run_id || ', model ' || model AS subject
FROM (SELECT run_id, model, sum(calls) AS calls FROM run_latencies GROUP BY run_id, model) l
FULL JOIN (SELECT j.run_id, j.model, count(*) AS told FROM calls c JOIN jobs j USING (run_id, job_id)
  WHERE c.latency_ms IS NOT NULL GROUP BY j.run_id, j.model) t USING (run_id, model)
WHERE ${IS_WHOLE} AND l.calls IS DISTINCT FROM t.told`;

// What a group spent outlives its calls; what is open is the sum over them.
const TOTALS_OF_GROUPS = `
SELECT 'group ' || group_name || ', ' || month AS subject
FROM group_totals g FULL JOIN (
  SELECT budget_group AS group_name, budget_month AS month, ${sumOf('worst_nano_usd', `state IN ('reserved', 'sent')`)} AS reserved,
    ${sumOf('worst_nano_usd', `state = 'unknown'`)} AS uncertain
  FROM calls WHERE budget_group IS NOT NULL GROUP BY budget_group, budget_month) c USING (group_name, month)
WHERE (coalesce(g.reserved_nano_usd, 0), coalesce(g.uncertain_nano_usd, 0)) <> (coalesce(c.reserved, 0), coalesce(c.uncertain, 0))`;

const TWO_FLIGHTS = `
SELECT 'key ' || flight_key AS subject FROM steps
WHERE state = 'running' AND flight_key IS NOT NULL
GROUP BY flight_key HAVING count(*) > 1`;

const TWO_FLIGHTS_IN_RUN = `
SELECT 'run ' || run_id || ', key ' || key AS subject FROM steps
WHERE state = 'running' AND key IS NOT NULL
GROUP BY run_id, key HAVING count(*) > 1`;

const STATE_OF_OPEN_JOB = `
SELECT 'run ' || j.run_id || ', job ' || j.job_id AS subject FROM jobs j
WHERE j.state IN ('queued', 'running') AND (j.state = 'running') <> EXISTS (
  SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.state = 'running')`;

const OPEN_JOB_WITHOUT_STEP = `
SELECT 'run ' || j.run_id || ', job ' || j.job_id AS subject FROM jobs j
WHERE j.state IN ('queued', 'running') AND NOT EXISTS (
  SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.state IN ('waiting', 'queued', 'running'))`;

const OPEN_STEP_OF_ENDED_JOB = `
SELECT 'run ' || run_id || ', job ' || job_id AS subject FROM steps s JOIN jobs j USING (run_id, job_id)
WHERE s.state IN ('waiting', 'queued') AND j.state IN ('succeeded', 'failed', 'cancelled')
GROUP BY run_id, job_id`;

const OPEN_CALL_WITHOUT_LEASE = `
SELECT 'run ' || c.run_id || ', job ' || c.job_id AS subject FROM calls c
WHERE c.state IN ('reserved', 'sent')
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_token = c.call_token AND s.state = 'running')`;

const INVALID_IN_CACHE = `
SELECT 'key ' || c.key AS subject FROM cache c JOIN responses r USING (call_token) WHERE r.judgement <> 'valid'`;

const CANCEL_OF_ENDED_JOB = `
SELECT 'run ' || run_id || ', job ' || job_id AS subject FROM jobs
WHERE cancel_asked IS NOT NULL AND state IN ('succeeded', 'failed', 'cancelled')`;

const CALL_OF_ENDING_JOB = `
SELECT 'run ' || run_id || ', job ' || job_id AS subject FROM steps s JOIN jobs j USING (run_id, job_id)
WHERE j.cancel_asked IS NOT NULL AND s.state = 'queued' AND s.gate IS NOT NULL
GROUP BY run_id, job_id`;

const PART_WITHOUT_INPUT = `
SELECT 'run ' || s.run_id || ', job ' || s.job_id AS subject FROM steps s
WHERE NOT EXISTS (SELECT 1 FROM step_inputs i WHERE i.step_id = s.step_id) AND (s.kind IN ('chunk', 'reduce') OR (s.kind = 'reask' AND EXISTS (
  SELECT 1 FROM steps o WHERE o.run_id = s.run_id AND o.job_id = s.job_id AND o.key = s.key AND o.kind IN ('chunk', 'reduce'))))`;

// A re-ask is of the part or the reduce whose input it has. One that failed is history.
const REDUCE_BEFORE_ITS_PARTS = `
SELECT 'run ' || r.run_id || ', job ' || r.job_id AS subject FROM steps r LEFT JOIN step_inputs i ON i.step_id = r.step_id
WHERE (r.kind = 'reduce' OR i.input_kind = 'prompt') AND r.state IN ('queued', 'running') AND EXISTS (
  SELECT 1 FROM steps s LEFT JOIN step_inputs a ON a.step_id = s.step_id
  WHERE s.run_id = r.run_id AND s.job_id = r.job_id AND (
    (s.kind IN ('answer', 'chunk', 'finish') AND s.state <> 'succeeded')
    OR (s.kind = 'reask' AND s.state IN ('waiting', 'queued', 'running') AND a.input_kind IS DISTINCT FROM 'prompt')))`;

const RESULT_OF_FAILED_JOB = `
SELECT 'run ' || run_id || ', job ' || job_id AS subject FROM jobs j JOIN job_results r USING (run_id, job_id) WHERE j.state = 'failed'`;

// What a lane gave is given back, or learnt of, with the end of its call; of one whose outcome nobody knows it still may be.
const GRANT_OF_ENDED_CALL = `
SELECT 'run ' || run_id || ', job ' || job_id AS subject FROM calls WHERE granted_tokens IS NOT NULL AND state = 'released'`;

const PARKED_FOR_NOBODY = `
SELECT 'run ' || s.run_id || ', job ' || s.job_id AS subject FROM steps s
WHERE s.state = 'queued' AND s.parked AND s.run_at_ms = ${UNTIL_A_PERSON_ACTS_MS} AND NOT EXISTS (
  SELECT 1 FROM jobs j JOIN paused_models p ON p.run_id = j.run_id AND p.model = j.model
  WHERE j.run_id = s.run_id AND j.job_id = s.job_id)`;

const TWO_SUSPECTS = `
SELECT 'worker ' || s.lease_owner AS subject FROM steps s JOIN keys k ON k.run_id = s.run_id AND k.key = ${FAILURE_KEY}
WHERE s.state = 'running' AND k.suspect
GROUP BY s.lease_owner HAVING count(*) > 1`;

/** What holds in every committed state, as PostgreSQL is asked for it. */
export const INVARIANTS: readonly Invariant[] = invariantsOf({
  totalsOfJobs: TOTALS_OF_JOBS,
  totalsOfAttempts: TOTALS_OF_ATTEMPTS,
  totalsOfCalls: TOTALS_OF_CALLS,
  totalsOfParts: TOTALS_OF_PARTS,
  latenciesOfCalls: LATENCIES_OF_CALLS,
  totalsOfGroups: TOTALS_OF_GROUPS,
  twoFlights: TWO_FLIGHTS,
  twoFlightsInRun: TWO_FLIGHTS_IN_RUN,
  stateOfOpenJob: STATE_OF_OPEN_JOB,
  openJobWithoutStep: OPEN_JOB_WITHOUT_STEP,
  openStepOfEndedJob: OPEN_STEP_OF_ENDED_JOB,
  openCallWithoutLease: OPEN_CALL_WITHOUT_LEASE,
  invalidInCache: INVALID_IN_CACHE,
  cancelOfEndedJob: CANCEL_OF_ENDED_JOB,
  callOfEndingJob: CALL_OF_ENDING_JOB,
  partWithoutInput: PART_WITHOUT_INPUT,
  reduceBeforeItsParts: REDUCE_BEFORE_ITS_PARTS,
  resultOfFailedJob: RESULT_OF_FAILED_JOB,
  grantOfEndedCall: GRANT_OF_ENDED_CALL,
  parkedForNobody: PARKED_FOR_NOBODY,
  twoSuspects: TWO_SUSPECTS,
});
