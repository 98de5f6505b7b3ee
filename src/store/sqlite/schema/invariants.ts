import { type Invariant, invariantsOf } from '../../invariants.ts';
import { UNTIL_A_PERSON_ACTS_MS } from '../../waits.ts';

// While a run is being pruned its rows go before its totals do.
const IS_WHOLE = 'run_id NOT IN (SELECT run_id FROM runs WHERE pruned_at_ms IS NOT NULL)';

const TOTALS_OF_JOBS = `
SELECT 'run ' || run_id || ', task ' || task || ', model ' || model AS subject
FROM jobs j FULL JOIN run_totals t USING (run_id, task, model)
WHERE ${IS_WHOLE}
GROUP BY run_id, task, model
HAVING (t.total, t.queued, t.running, t.succeeded, t.failed, t.cancelled, t.pass, t.fail, t.review, t.cached) IS NOT (
  count(j.job_id),
  count(*) FILTER (WHERE j.state = 'queued'),
  count(*) FILTER (WHERE j.state = 'running'),
  count(*) FILTER (WHERE j.state = 'succeeded'),
  count(*) FILTER (WHERE j.state = 'failed'),
  count(*) FILTER (WHERE j.state = 'cancelled'),
  count(*) FILTER (WHERE j.verdict = 'pass'),
  count(*) FILTER (WHERE j.verdict = 'fail'),
  count(*) FILTER (WHERE j.verdict = 'review'),
  count(*) FILTER (WHERE j.cached = 1))`;

const TOTALS_OF_ATTEMPTS = `
SELECT 'run ' || run_id || ', task ' || task || ', model ' || model AS subject
FROM jobs j JOIN run_totals t USING (run_id, task, model) LEFT JOIN attempts a USING (run_id, job_id)
WHERE ${IS_WHOLE}
GROUP BY run_id, task, model
HAVING (t.attempts, t.lost_leases, t.rate_limited) IS NOT (
  count(*) FILTER (WHERE a.counted = 1),
  count(*) FILTER (WHERE a.outcome = 'lost'),
  count(*) FILTER (WHERE a.reason = 'rate_limited'))`;

const TOTALS_OF_PARTS = `
SELECT 'run ' || run_id || ', task ' || task || ', model ' || model AS subject
FROM jobs j JOIN run_totals t USING (run_id, task, model) LEFT JOIN (SELECT run_id, job_id, step_id, state FROM steps WHERE kind = 'chunk') s USING (run_id, job_id)
WHERE ${IS_WHOLE}
GROUP BY run_id, task, model
HAVING (t.parts, t.open_parts) IS NOT (
  count(s.step_id),
  count(*) FILTER (WHERE s.state IN ('waiting', 'queued', 'running')))`;

const LATENCIES_OF_CALLS = `
SELECT 'run ' || run_id || ', model ' || model AS subject
FROM (SELECT run_id, model, sum(calls) AS calls FROM run_latencies GROUP BY run_id, model) l
FULL JOIN (SELECT j.run_id, j.model, count(*) AS told FROM calls c JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id
  WHERE c.latency_ms IS NOT NULL GROUP BY j.run_id, j.model) t USING (run_id, model)
WHERE ${IS_WHOLE} AND l.calls IS NOT t.told`;

const IS_STREAMED = `c.state = 'settled' AND c.latency_ms IS NOT NULL AND c.first_token_ms IS NOT NULL AND c.output IS NOT NULL`;

const TOTALS_OF_CALLS = `
SELECT 'run ' || run_id || ', task ' || task || ', model ' || model AS subject
FROM jobs j JOIN run_totals t USING (run_id, task, model) LEFT JOIN calls c USING (run_id, job_id)
WHERE ${IS_WHOLE}
GROUP BY run_id, task, model
HAVING (t.calls, t.priced_calls, t.unpriced_calls, t.uncertain_calls, t.uncertain_unpriced_calls, t.spent_nano_usd,
  t.reserved_nano_usd, t.uncertain_nano_usd, t.assumed_nano_usd, t.input_tokens, t.cached_input_tokens, t.output_tokens,
  t.reserved_tokens, t.streamed_calls, t.first_token_ms, t.streamed_output_tokens, t.generating_ms) IS NOT (
  count(*) FILTER (WHERE c.state IN ('sent', 'settled', 'unknown')),
  count(*) FILTER (WHERE c.state = 'settled' AND c.cost_nano_usd IS NOT NULL),
  count(*) FILTER (WHERE c.state = 'settled' AND c.cost_nano_usd IS NULL),
  count(*) FILTER (WHERE c.state = 'unknown'),
  count(*) FILTER (WHERE c.state = 'unknown' AND c.worst_nano_usd IS NULL),
  coalesce(sum(c.cost_nano_usd) FILTER (WHERE c.state = 'settled'), 0),
  coalesce(sum(c.worst_nano_usd) FILTER (WHERE c.state IN ('reserved', 'sent')), 0),
  coalesce(sum(c.worst_nano_usd) FILTER (WHERE c.state = 'unknown'), 0),
  coalesce(sum(c.worst_nano_usd) FILTER (WHERE c.state = 'settled' AND c.cost_nano_usd IS NULL), 0),
  coalesce(sum(c.uncached_input + c.cache_read + c.cache_write), 0),
  coalesce(sum(c.cache_read), 0),
  coalesce(sum(c.output), 0),
  coalesce(sum(c.worst_tokens) FILTER (WHERE c.output IS NULL AND c.state <> 'released'
    AND (c.state <> 'settled' OR c.cost_nano_usd IS NOT 0 OR c.estimated = 1 OR c.latency_ms IS NOT NULL)), 0),
  count(*) FILTER (WHERE ${IS_STREAMED}),
  coalesce(sum(c.first_token_ms) FILTER (WHERE ${IS_STREAMED}), 0),
  coalesce(sum(c.output) FILTER (WHERE ${IS_STREAMED}), 0),
  coalesce(sum(max(0, c.latency_ms - c.first_token_ms)) FILTER (WHERE ${IS_STREAMED}), 0))`;

// What a group spent outlives its calls; what is open is the sum over them.
const TOTALS_OF_GROUPS = `
SELECT 'group ' || group_name || ', ' || month AS subject
FROM group_totals g FULL JOIN (SELECT budget_group AS group_name, budget_month AS month, state, worst_nano_usd FROM calls
  WHERE budget_group IS NOT NULL) c USING (group_name, month)
GROUP BY group_name, month
HAVING (g.reserved_nano_usd, g.uncertain_nano_usd) IS NOT (
  coalesce(sum(c.worst_nano_usd) FILTER (WHERE c.state IN ('reserved', 'sent')), 0),
  coalesce(sum(c.worst_nano_usd) FILTER (WHERE c.state = 'unknown'), 0))`;

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

const TWO_SUSPECTS = `
SELECT 'worker ' || s.lease_owner AS subject FROM steps s JOIN keys k ON k.run_id = s.run_id AND k.key = s.failure_key
WHERE s.state = 'running' AND k.suspect = 1
GROUP BY s.lease_owner HAVING count(*) > 1`;

const CANCEL_OF_ENDED_JOB = `
SELECT 'run ' || run_id || ', job ' || job_id AS subject FROM jobs
WHERE cancel_asked IS NOT NULL AND state IN ('succeeded', 'failed', 'cancelled')`;

const CALL_OF_ENDING_JOB = `
SELECT 'run ' || run_id || ', job ' || job_id AS subject FROM steps s JOIN jobs j USING (run_id, job_id)
WHERE j.cancel_asked IS NOT NULL AND s.state = 'queued' AND s.gate IS NOT NULL
GROUP BY run_id, job_id`;

// What a lane gave is given back, or learnt of, with the end of its call; of one whose outcome nobody knows it still may be.
const GRANT_OF_ENDED_CALL = `
SELECT 'run ' || run_id || ', job ' || job_id AS subject FROM calls WHERE granted_tokens IS NOT NULL AND state = 'released'`;

const PARKED_FOR_NOBODY = `
SELECT 'run ' || s.run_id || ', job ' || s.job_id AS subject FROM steps s
WHERE s.state = 'queued' AND s.parked = 1 AND s.run_at_ms = ${UNTIL_A_PERSON_ACTS_MS} AND NOT EXISTS (
  SELECT 1 FROM jobs j JOIN paused_models p ON p.run_id = j.run_id AND p.model = j.model
  WHERE j.run_id = s.run_id AND j.job_id = s.job_id)`;

const PART_WITHOUT_INPUT = `
SELECT 'run ' || s.run_id || ', job ' || s.job_id AS subject FROM steps s
WHERE NOT EXISTS (SELECT 1 FROM step_inputs i WHERE i.step_id = s.step_id) AND (s.kind IN ('chunk', 'reduce') OR (s.kind = 'reask' AND EXISTS (
  SELECT 1 FROM steps o WHERE o.run_id = s.run_id AND o.job_id = s.job_id AND o.key = s.key AND o.kind IN ('chunk', 'reduce'))))`;

// A re-ask is of the part or the reduce whose input it has. One that failed is history.
const REDUCE_BEFORE_ITS_PARTS = `
SELECT 'run ' || r.run_id || ', job ' || r.job_id AS subject FROM steps r LEFT JOIN step_inputs i ON i.step_id = r.step_id
WHERE (r.kind = 'reduce' OR i.input ->> '$.kind' = 'prompt') AND r.state IN ('queued', 'running') AND EXISTS (
  SELECT 1 FROM steps s LEFT JOIN step_inputs a ON a.step_id = s.step_id
  WHERE s.run_id = r.run_id AND s.job_id = r.job_id AND (
    (s.kind IN ('answer', 'chunk', 'finish') AND s.state <> 'succeeded')
    OR (s.kind = 'reask' AND s.state IN ('waiting', 'queued', 'running') AND a.input ->> '$.kind' IS NOT 'prompt')))`;

const RESULT_OF_FAILED_JOB = `
SELECT 'run ' || run_id || ', job ' || job_id AS subject FROM jobs WHERE state = 'failed' AND result IS NOT NULL`;

/** What holds in every committed state, as SQLite is asked for it. */
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
