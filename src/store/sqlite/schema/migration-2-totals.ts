/**
 * Totals per run, task and model, kept by triggers in the transaction that changes the rows they sum: a status never scans a
 * run's rows, and no code path can forget to count. Tests compare them with the sums.
 */
export const TOTALS = `
CREATE TABLE run_totals (
  run_id TEXT NOT NULL REFERENCES runs,
  task TEXT NOT NULL,
  model TEXT NOT NULL,
  total INTEGER NOT NULL DEFAULT 0,
  queued INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0,
  succeeded INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  pass INTEGER NOT NULL DEFAULT 0,
  fail INTEGER NOT NULL DEFAULT 0,
  review INTEGER NOT NULL DEFAULT 0,
  cached INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0,
  priced_calls INTEGER NOT NULL DEFAULT 0,
  unpriced_calls INTEGER NOT NULL DEFAULT 0,
  uncertain_calls INTEGER NOT NULL DEFAULT 0,
  spent_nano_usd INTEGER NOT NULL DEFAULT 0,
  uncertain_nano_usd INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  cached_input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, task, model)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER totals_job_added AFTER INSERT ON jobs BEGIN
  INSERT INTO run_totals (run_id, task, model) VALUES (new.run_id, new.task, new.model) ON CONFLICT DO NOTHING;
  UPDATE run_totals SET
    total = total + 1,
    queued = queued + (new.state = 'queued'),
    running = running + (new.state = 'running'),
    succeeded = succeeded + (new.state = 'succeeded'),
    failed = failed + (new.state = 'failed'),
    cancelled = cancelled + (new.state = 'cancelled'),
    pass = pass + (new.verdict IS 'pass'),
    fail = fail + (new.verdict IS 'fail'),
    review = review + (new.verdict IS 'review'),
    cached = cached + new.cached
  WHERE run_id = new.run_id AND task = new.task AND model = new.model;
END;

CREATE TRIGGER totals_job_moved AFTER UPDATE OF state, verdict, cached ON jobs BEGIN
  UPDATE run_totals SET
    queued = queued + (new.state = 'queued') - (old.state = 'queued'),
    running = running + (new.state = 'running') - (old.state = 'running'),
    succeeded = succeeded + (new.state = 'succeeded') - (old.state = 'succeeded'),
    failed = failed + (new.state = 'failed') - (old.state = 'failed'),
    cancelled = cancelled + (new.state = 'cancelled') - (old.state = 'cancelled'),
    pass = pass + (new.verdict IS 'pass') - (old.verdict IS 'pass'),
    fail = fail + (new.verdict IS 'fail') - (old.verdict IS 'fail'),
    review = review + (new.verdict IS 'review') - (old.verdict IS 'review'),
    cached = cached + new.cached - old.cached
  WHERE run_id = new.run_id AND task = new.task AND model = new.model;
END;

CREATE TRIGGER totals_attempt_added AFTER INSERT ON attempts WHEN new.counted = 1 BEGIN
  UPDATE run_totals SET attempts = attempts + 1
  WHERE (run_id, task, model) = (SELECT run_id, task, model FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id);
END;

CREATE TRIGGER totals_call_moved AFTER UPDATE ON calls BEGIN
  UPDATE run_totals SET
    calls = calls + (new.state IN ('sent', 'settled', 'unknown')) - (old.state IN ('sent', 'settled', 'unknown')),
    priced_calls = priced_calls + (new.state = 'settled' AND new.cost_nano_usd IS NOT NULL)
      - (old.state = 'settled' AND old.cost_nano_usd IS NOT NULL),
    unpriced_calls = unpriced_calls + (new.state = 'settled' AND new.cost_nano_usd IS NULL)
      - (old.state = 'settled' AND old.cost_nano_usd IS NULL),
    uncertain_calls = uncertain_calls + (new.state = 'unknown') - (old.state = 'unknown'),
    spent_nano_usd = spent_nano_usd + iif(new.state = 'settled', coalesce(new.cost_nano_usd, 0), 0)
      - iif(old.state = 'settled', coalesce(old.cost_nano_usd, 0), 0),
    uncertain_nano_usd = uncertain_nano_usd + iif(new.state = 'unknown', coalesce(new.cost_nano_usd, 0), 0)
      - iif(old.state = 'unknown', coalesce(old.cost_nano_usd, 0), 0),
    input_tokens = input_tokens
      + coalesce(new.uncached_input + new.cache_read + new.cache_write, 0) - coalesce(old.uncached_input + old.cache_read + old.cache_write, 0),
    cached_input_tokens = cached_input_tokens + coalesce(new.cache_read, 0) - coalesce(old.cache_read, 0),
    output_tokens = output_tokens + coalesce(new.output, 0) - coalesce(old.output, 0)
  WHERE (run_id, task, model) = (SELECT run_id, task, model FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id);
END;
`;
