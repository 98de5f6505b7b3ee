/**
 * What a person may ask of a run while it works (cancel some jobs, ask a job afresh, prune the run), what a call may cost at worst,
 * and answers that outlive the run that paid for them or come from another machine: a response stands without its call.
 */
export const CONTROL = `
-- One row: which store this is, wherever its file is moved. Files outside it (the spool) say whose they are.
CREATE TABLE store (store_id TEXT NOT NULL) STRICT;
INSERT INTO store (store_id) SELECT lower(hex(randomblob(16)));

-- Set while the run's rows are being deleted: it is gone for everyone, and whoever prunes next goes on.
ALTER TABLE runs ADD COLUMN pruned_at_ms INTEGER;
UPDATE runs SET settings = json_set(settings, '$.rates', json('{}'));
-- The database that gave the run its out_dir, as SQLite names its own file: in a copy that is another one's, and so are the files.
ALTER TABLE runs ADD COLUMN written_from TEXT;
UPDATE runs SET written_from = d.file FROM pragma_database_list d
WHERE d.name = 'main' AND substr(out_dir, 1, length(rtrim(d.file, replace(d.file, '/', '')))) = rtrim(d.file, replace(d.file, '/', ''));
-- A person wants the job's open work ended: its running calls finish ('drain') or are ended ('now').
ALTER TABLE jobs ADD COLUMN cancel_asked TEXT CHECK (cancel_asked IN ('drain', 'now'));
CREATE INDEX jobs_to_end ON jobs (run_id) WHERE cancel_asked = 'now' AND state = 'running';
-- A status counts results with repeats, and what failed why, from these alone.
CREATE INDEX jobs_of_result ON jobs (run_id, task, document_id, model, state, verdict);
CREATE INDEX jobs_failed_why ON jobs (run_id, error_reason) WHERE state = 'failed';
-- Only answers stored later are hits for this step: a person asked for a new one.
ALTER TABLE steps ADD COLUMN fresh_after_ms INTEGER;
-- What the call costs at most, by its run's prices when it was claimed; NULL when that cannot be known.
ALTER TABLE calls ADD COLUMN worst_nano_usd INTEGER CHECK (worst_nano_usd >= 0);
-- 1: the unknown call was settled by an estimate, of a person or by its answer's usage; its true outcome still replaces it.
ALTER TABLE calls ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0 CHECK (estimated IN (0, 1));

ALTER TABLE run_totals ADD COLUMN lost_leases INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN reserved_nano_usd INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN uncertain_unpriced_calls INTEGER NOT NULL DEFAULT 0;
UPDATE run_totals SET uncertain_nano_usd = 0, uncertain_unpriced_calls = uncertain_calls,
  lost_leases = (
    SELECT count(*) FROM attempts a JOIN jobs j ON j.run_id = a.run_id AND j.job_id = a.job_id
    WHERE a.outcome = 'lost' AND j.run_id = run_totals.run_id AND j.task = run_totals.task AND j.model = run_totals.model);

DROP TRIGGER totals_attempt_added;
CREATE TRIGGER totals_attempt_added AFTER INSERT ON attempts WHEN new.counted = 1 OR new.outcome = 'lost' BEGIN
  UPDATE run_totals SET attempts = attempts + new.counted, lost_leases = lost_leases + (new.outcome = 'lost')
  WHERE (run_id, task, model) = (SELECT run_id, task, model FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id);
END;

CREATE TRIGGER totals_call_added AFTER INSERT ON calls WHEN new.worst_nano_usd > 0 BEGIN
  UPDATE run_totals SET reserved_nano_usd = reserved_nano_usd + new.worst_nano_usd
  WHERE (run_id, task, model) = (SELECT run_id, task, model FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id);
END;

DROP TRIGGER totals_call_moved;
CREATE TRIGGER totals_call_moved AFTER UPDATE ON calls BEGIN
  UPDATE run_totals SET
    calls = calls + (new.state IN ('sent', 'settled', 'unknown')) - (old.state IN ('sent', 'settled', 'unknown')),
    priced_calls = priced_calls + (new.state = 'settled' AND new.cost_nano_usd IS NOT NULL)
      - (old.state = 'settled' AND old.cost_nano_usd IS NOT NULL),
    unpriced_calls = unpriced_calls + (new.state = 'settled' AND new.cost_nano_usd IS NULL)
      - (old.state = 'settled' AND old.cost_nano_usd IS NULL),
    uncertain_calls = uncertain_calls + (new.state = 'unknown') - (old.state = 'unknown'),
    uncertain_unpriced_calls = uncertain_unpriced_calls + (new.state = 'unknown' AND new.worst_nano_usd IS NULL)
      - (old.state = 'unknown' AND old.worst_nano_usd IS NULL),
    uncertain_nano_usd = uncertain_nano_usd + iif(new.state = 'unknown', coalesce(new.worst_nano_usd, 0), 0)
      - iif(old.state = 'unknown', coalesce(old.worst_nano_usd, 0), 0),
    reserved_nano_usd = reserved_nano_usd + iif(new.state IN ('reserved', 'sent'), coalesce(new.worst_nano_usd, 0), 0)
      - iif(old.state IN ('reserved', 'sent'), coalesce(old.worst_nano_usd, 0), 0),
    spent_nano_usd = spent_nano_usd + iif(new.state = 'settled', coalesce(new.cost_nano_usd, 0), 0)
      - iif(old.state = 'settled', coalesce(old.cost_nano_usd, 0), 0),
    input_tokens = input_tokens
      + coalesce(new.uncached_input + new.cache_read + new.cache_write, 0) - coalesce(old.uncached_input + old.cache_read + old.cache_write, 0),
    cached_input_tokens = cached_input_tokens + coalesce(new.cache_read, 0) - coalesce(old.cache_read, 0),
    output_tokens = output_tokens + coalesce(new.output, 0) - coalesce(old.output, 0)
  WHERE (run_id, task, model) = (SELECT run_id, task, model FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id);
END;

-- The same table without its reference to calls; the cache is made anew because it refers to it.
ALTER TABLE responses RENAME TO old_responses;
CREATE TABLE responses (
  call_token TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  key TEXT NOT NULL,
  step_kind TEXT NOT NULL,
  completion TEXT NOT NULL CHECK (json_valid(completion)),
  latency_ms REAL NOT NULL,
  mode TEXT,
  recorded_at_ms INTEGER NOT NULL,
  judgement TEXT NOT NULL DEFAULT 'none' CHECK (judgement IN ('none', 'valid', 'invalid')),
  judged_at_ms INTEGER,
  answer TEXT CHECK (json_valid(answer)),
  repaired INTEGER NOT NULL DEFAULT 0 CHECK (repaired IN (0, 1)),
  cost_nano_usd INTEGER CHECK (cost_nano_usd >= 0),
  -- 1: another store's. Its run and job say where it was paid for, and may be called like ones that are here.
  imported INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1)),
  CHECK ((judgement = 'valid') = (answer IS NOT NULL)),
  CHECK ((judgement = 'none') = (judged_at_ms IS NULL))
) STRICT;
INSERT INTO responses (call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, recorded_at_ms, judgement, judged_at_ms,
  answer, repaired, cost_nano_usd)
SELECT call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, recorded_at_ms, judgement, judged_at_ms, answer, repaired,
  (SELECT c.cost_nano_usd FROM calls c WHERE c.call_token = old_responses.call_token)
FROM old_responses ORDER BY old_responses.rowid;

ALTER TABLE cache RENAME TO old_cache;
CREATE TABLE cache (
  key TEXT PRIMARY KEY,
  call_token TEXT NOT NULL REFERENCES responses,
  stored_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO cache (key, call_token, stored_at_ms) SELECT key, call_token, stored_at_ms FROM old_cache;
DROP TABLE old_cache;
DROP TABLE old_responses;
CREATE INDEX responses_of_key ON responses (run_id, key, judgement);
CREATE INDEX responses_unjudged ON responses (key) WHERE judgement = 'none';
`;
