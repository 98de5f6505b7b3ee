import { ONE_ROW } from './storage.ts';

const ENDS_OF_PART = `'succeeded', 'failed', 'cancelled'`;
const OPEN_CALL = `'reserved', 'sent'`;
const MADE_CALL = `'sent', 'settled', 'unknown'`;

/** 1 where the condition holds, 0 where it does not or nobody knows. */
const one = (condition: string) => `(${condition} IS TRUE)::int`;

/** By how much a value that is told of a row changes with the row. */
const change = (of: (row: 'new' | 'old') => string) => `${of('new')} - ${of('old')}`;

const valueIf = (condition: string, value: string) => `CASE WHEN ${condition} THEN coalesce(${value}, 0) ELSE 0 END`;

/**
 * Tokens that count against a budget though nobody knows them: the most that the call may use. A call that was refused used none: it
 * cost nothing, no answer came, and that is no estimate.
 */
const unknownTokens = (call: string) =>
  valueIf(
    `${call}.output IS NULL AND (${call}.state IN (${OPEN_CALL}, 'unknown') OR (${call}.state = 'settled'
      AND (${call}.cost_nano_usd IS DISTINCT FROM 0 OR ${call}.estimated OR ${call}.latency_ms IS NOT NULL)))`,
    `${call}.worst_tokens`,
  );

/** Of an answer that came in pieces and whose tokens are known: how fast they came. */
const ofStreamed = (call: string, value: string) =>
  valueIf(
    `${call}.state = 'settled' AND ${call}.latency_ms IS NOT NULL AND ${call}.first_token_ms IS NOT NULL AND ${call}.output IS NOT NULL`,
    value,
  );

const worstIn = (call: string, states: string) => valueIf(`${call}.state IN (${states})`, `${call}.worst_nano_usd`);

/** What each column of the totals sums over the calls. */
const SUMS_OF_CALLS: { readonly [column: string]: (call: string) => string } = {
  calls: (call) => one(`${call}.state IN (${MADE_CALL})`),
  priced_calls: (call) => one(`${call}.state = 'settled' AND ${call}.cost_nano_usd IS NOT NULL`),
  unpriced_calls: (call) => one(`${call}.state = 'settled' AND ${call}.cost_nano_usd IS NULL`),
  uncertain_calls: (call) => one(`${call}.state = 'unknown'`),
  uncertain_unpriced_calls: (call) => one(`${call}.state = 'unknown' AND ${call}.worst_nano_usd IS NULL`),
  spent_nano_usd: (call) => valueIf(`${call}.state = 'settled'`, `${call}.cost_nano_usd`),
  reserved_nano_usd: (call) => worstIn(call, OPEN_CALL),
  uncertain_nano_usd: (call) => worstIn(call, `'unknown'`),
  assumed_nano_usd: (call) => valueIf(`${call}.state = 'settled' AND ${call}.cost_nano_usd IS NULL`, `${call}.worst_nano_usd`),
  input_tokens: (call) => `coalesce(${call}.uncached_input + ${call}.cache_read + ${call}.cache_write, 0)`,
  cached_input_tokens: (call) => `coalesce(${call}.cache_read, 0)`,
  output_tokens: (call) => `coalesce(${call}.output, 0)`,
  reserved_tokens: unknownTokens,
  streamed_calls: (call) => ofStreamed(call, '1'),
  first_token_ms: (call) => ofStreamed(call, `${call}.first_token_ms`),
  streamed_output_tokens: (call) => ofStreamed(call, `${call}.output`),
  generating_ms: (call) => ofStreamed(call, `greatest(0, ${call}.latency_ms - ${call}.first_token_ms)`),
};

/** What each column of the totals sums over the jobs. */
const SUMS_OF_JOBS: { readonly [column: string]: (job: string) => string } = {
  queued: (job) => one(`${job}.state = 'queued'`),
  running: (job) => one(`${job}.state = 'running'`),
  succeeded: (job) => one(`${job}.state = 'succeeded'`),
  failed: (job) => one(`${job}.state = 'failed'`),
  cancelled: (job) => one(`${job}.state = 'cancelled'`),
  pass: (job) => one(`${job}.verdict = 'pass'`),
  fail: (job) => one(`${job}.verdict = 'fail'`),
  review: (job) => one(`${job}.verdict = 'review'`),
  cached: (job) => one(`${job}.cached`),
};

/** The same over the rows of a plan, of which one statement adds many. */
const summed = (sums: { readonly [column: string]: (row: string) => string }) =>
  Object.entries(sums)
    .map(([column, of]) => `sum(${of('j')}) AS ${column}`)
    .join(', ');

const assigned = (sums: { readonly [column: string]: (row: string) => string }, by: (of: (row: string) => string) => string) =>
  Object.entries(sums)
    .map(([column, of]) => `${column} = ${column} + ${by(of)}`)
    .join(',\n      ');

const columns = [...Object.keys(SUMS_OF_JOBS), ...Object.keys(SUMS_OF_CALLS)];

const OF_JOB = `WHERE (run_id, task, model) = (SELECT run_id, task, model FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id)`;

/** How long a call took, as one of eight steps to each doubling: enough to tell a percentile to within a twentieth. */
const BUCKET = `trunc(8 * log(2, greatest(1, new.latency_ms)::numeric))::int`;

function onChange(name: string, event: string, body: string): string {
  return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  ${body}
  RETURN NULL;
END $$;
CREATE TRIGGER ${name} AFTER ${event} EXECUTE FUNCTION ${name}();`;
}

/**
 * Totals per run, task and model, kept by triggers in the transaction that changes the rows they sum: a status never scans a run's
 * rows, and no code path can forget to count. The same of budget groups, revisions and failures. Who changes rows of a run holds the
 * run's row, so that nobody waits for these.
 */
export const TOTALS = `
-- parts: chunk steps; open_parts: those of them that are not over. happened_at_ms: the last end of a try or of a job; 0: nothing ended yet.
CREATE TABLE run_totals (
  run_id text COLLATE "C" NOT NULL REFERENCES runs,
  task text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  total bigint NOT NULL DEFAULT 0,
  ${columns.map((column) => `${column} bigint NOT NULL DEFAULT 0`).join(',\n  ')},
  attempts bigint NOT NULL DEFAULT 0,
  lost_leases bigint NOT NULL DEFAULT 0,
  rate_limited bigint NOT NULL DEFAULT 0,
  parts bigint NOT NULL DEFAULT 0,
  open_parts bigint NOT NULL DEFAULT 0,
  happened_at_ms bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, task, model)
) WITH (${ONE_ROW});

-- What groups of runs spent, by the month in which their calls were reserved. Runs that are removed leave it as it is.
CREATE TABLE group_totals (
  group_name text COLLATE "C" NOT NULL,
  month text COLLATE "C" NOT NULL,
  spent_nano_usd bigint NOT NULL DEFAULT 0 CHECK (spent_nano_usd >= 0),
  reserved_nano_usd bigint NOT NULL DEFAULT 0 CHECK (reserved_nano_usd >= 0),
  uncertain_nano_usd bigint NOT NULL DEFAULT 0 CHECK (uncertain_nano_usd >= 0),
  PRIMARY KEY (group_name, month)
) WITH (${ONE_ROW});

CREATE TABLE run_latencies (
  run_id text COLLATE "C" NOT NULL REFERENCES runs,
  model text COLLATE "C" NOT NULL,
  bucket integer NOT NULL,
  calls bigint NOT NULL,
  PRIMARY KEY (run_id, model, bucket)
) WITH (${ONE_ROW});

${onChange(
  'run_added',
  'INSERT ON runs FOR EACH ROW',
  `INSERT INTO revisions (run_id, revision) VALUES (new.run_id, 0);
  INSERT INTO run_progress (run_id) VALUES (new.run_id);`,
)}
${onChange(
  'run_changed',
  'UPDATE OF state, manifest, settings, out_dir, planned_at_ms, finished_at_ms ON runs FOR EACH ROW',
  `UPDATE revisions SET revision = revision + 1 WHERE run_id = new.run_id;`,
)}
-- Once for all that a statement adds: a row that one transaction changes a thousand times leaves a thousand dead ones.
${onChange(
  'jobs_added',
  'INSERT ON jobs REFERENCING NEW TABLE AS added FOR EACH STATEMENT',
  `INSERT INTO run_totals (run_id, task, model) SELECT DISTINCT run_id, task, model FROM added ON CONFLICT DO NOTHING;
  UPDATE run_totals t SET total = t.total + a.total,
      ${Object.keys(SUMS_OF_JOBS)
        .map((column) => `${column} = t.${column} + a.${column}`)
        .join(', ')}
  FROM (SELECT run_id, task, model, count(*) AS total, ${summed(SUMS_OF_JOBS)} FROM added j GROUP BY run_id, task, model) a
  WHERE t.run_id = a.run_id AND t.task = a.task AND t.model = a.model;
  UPDATE revisions SET revision = revision + 1 WHERE run_id IN (SELECT run_id FROM added);`,
)}
${onChange(
  'job_changed',
  `UPDATE OF state, verdict, result_verdict, error_reason, error_message, cached, answer_call_token, ended_at_ms ON jobs FOR EACH ROW`,
  `IF (new.state, new.verdict, new.cached, new.ended_at_ms) IS DISTINCT FROM (old.state, old.verdict, old.cached, old.ended_at_ms) THEN
    UPDATE run_totals SET happened_at_ms = greatest(happened_at_ms, coalesce(new.ended_at_ms, 0)),
      ${assigned(SUMS_OF_JOBS, change)}
    WHERE run_id = new.run_id AND task = new.task AND model = new.model;
  END IF;
  IF new.state = 'failed' AND old.state <> 'failed' THEN
    UPDATE run_progress SET failures = failures + 1 WHERE run_id = new.run_id;
  END IF;
  UPDATE revisions SET revision = revision + 1 WHERE run_id = new.run_id;`,
)}
${onChange(
  'parts_added',
  'INSERT ON steps REFERENCING NEW TABLE AS added FOR EACH STATEMENT',
  `UPDATE run_totals t SET parts = t.parts + a.parts, open_parts = t.open_parts + a.open_parts
  FROM (SELECT j.run_id, j.task, j.model, count(*) AS parts, sum(${one(`s.state NOT IN (${ENDS_OF_PART})`)}) AS open_parts
    FROM added s JOIN jobs j ON j.run_id = s.run_id AND j.job_id = s.job_id WHERE s.kind = 'chunk' GROUP BY j.run_id, j.task, j.model) a
  WHERE t.run_id = a.run_id AND t.task = a.task AND t.model = a.model;`,
)}
${onChange(
  'part_moved',
  `UPDATE OF state ON steps FOR EACH ROW
  WHEN (new.kind = 'chunk' AND (new.state IN (${ENDS_OF_PART})) <> (old.state IN (${ENDS_OF_PART})))`,
  `UPDATE run_totals SET open_parts = open_parts + ${change((step) => one(`${step}.state NOT IN (${ENDS_OF_PART})`))} ${OF_JOB};`,
)}
${onChange(
  'attempt_added',
  'INSERT ON attempts FOR EACH ROW',
  `UPDATE run_totals SET attempts = attempts + new.counted::int, lost_leases = lost_leases + ${one(`new.outcome = 'lost'`)},
    rate_limited = rate_limited + ${one(`new.reason = 'rate_limited'`)}, happened_at_ms = greatest(happened_at_ms, new.ended_at_ms)
  ${OF_JOB};`,
)}
CREATE FUNCTION attempt_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'attempts are appended, never changed';
END $$;
CREATE TRIGGER attempt_changed BEFORE UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION attempt_changed();
${onChange(
  'call_added',
  'INSERT ON calls FOR EACH ROW',
  `UPDATE run_totals SET
      ${assigned(SUMS_OF_CALLS, (of) => of('new'))}
  ${OF_JOB};
  IF new.budget_group IS NOT NULL THEN
    INSERT INTO group_totals (group_name, month) VALUES (new.budget_group, new.budget_month) ON CONFLICT DO NOTHING;
    UPDATE group_totals SET reserved_nano_usd = reserved_nano_usd + coalesce(new.worst_nano_usd, 0)
    WHERE group_name = new.budget_group AND month = new.budget_month;
  END IF;`,
)}
${onChange(
  'call_changed',
  `UPDATE OF state, uncached_input, cache_read, cache_write, output, cost_nano_usd, worst_nano_usd, estimated, worst_tokens, latency_ms,
    first_token_ms ON calls FOR EACH ROW`,
  `UPDATE run_totals SET
      ${assigned(SUMS_OF_CALLS, change)}
  ${OF_JOB};
  IF old.latency_ms IS NULL AND new.latency_ms IS NOT NULL THEN
    INSERT INTO run_latencies AS l (run_id, model, bucket, calls)
    SELECT run_id, model, ${BUCKET}, 1 FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id
    ON CONFLICT (run_id, model, bucket) DO UPDATE SET calls = l.calls + 1;
  END IF;`,
)}
${onChange(
  'group_call_moved',
  'UPDATE OF state, cost_nano_usd, worst_nano_usd ON calls FOR EACH ROW WHEN (new.budget_group IS NOT NULL)',
  `UPDATE group_totals SET
    spent_nano_usd = spent_nano_usd + ${change((call) => valueIf(`${call}.state = 'settled'`, `coalesce(${call}.cost_nano_usd, ${call}.worst_nano_usd)`))},
    reserved_nano_usd = reserved_nano_usd + ${change((call) => worstIn(call, OPEN_CALL))},
    uncertain_nano_usd = uncertain_nano_usd + ${change((call) => worstIn(call, `'unknown'`))}
  WHERE group_name = new.budget_group AND month = new.budget_month;`,
)}
-- A call may end after its job did: what it cost stands in the job's files and in the summary.
${onChange(
  'late_call_ended',
  'UPDATE OF state ON calls FOR EACH ROW WHEN (new.settled_at_ms IS NOT NULL)',
  `IF EXISTS (SELECT 1 FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id AND ended_at_ms IS NOT NULL) THEN
    UPDATE revisions SET revision = revision + 1 WHERE run_id = new.run_id;
    UPDATE jobs SET artifacts_at_ms = NULL WHERE run_id = new.run_id AND job_id = new.job_id AND artifacts_at_ms IS NOT NULL;
    UPDATE runs SET summary_at_ms = NULL WHERE run_id = new.run_id AND summary_at_ms IS NOT NULL;
  END IF;`,
)}
-- Nobody can settle the call any more: what it may have cost stands as spent, so that a reset reaches it.
${onChange(
  'group_call_removed',
  `DELETE ON calls FOR EACH ROW WHEN (old.budget_group IS NOT NULL AND old.state IN (${OPEN_CALL}, 'unknown'))`,
  `UPDATE group_totals SET
    spent_nano_usd = spent_nano_usd + ${worstIn('old', `'sent', 'unknown'`)},
    reserved_nano_usd = reserved_nano_usd - ${worstIn('old', OPEN_CALL)},
    uncertain_nano_usd = uncertain_nano_usd - ${worstIn('old', `'unknown'`)}
  WHERE group_name = old.budget_group AND month = old.budget_month;`,
)}
`;
