const ENDS_OF_PART = `'succeeded', 'failed', 'cancelled'`;

/** How long a call took, as one of eight steps to each doubling: enough to tell a percentile to within a twentieth. */
function bucketOf(latencyMs: string): string {
  return `cast(8 * log2(max(1, ${latencyMs})) AS INTEGER)`;
}

const OF_JOB = `WHERE (run_id, task, model) = (SELECT run_id, task, model FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id)`;

/**
 * What happened, in its order, and what of it a look at a run needs without reading it: how far jobs in parts are, how often servers
 * refused for the rate, how long calls take, and when the last thing happened.
 */
export const STORY = `
-- What \`logs\` reads, page by page. A try that succeeded is told by its job's end.
CREATE INDEX attempts_told ON attempts (run_id, ended_at_ms) WHERE outcome IN ('failed', 'lost', 'superseded', 'downgraded');
CREATE INDEX jobs_by_end ON jobs (run_id, ended_at_ms, seq) WHERE ended_at_ms IS NOT NULL;
CREATE INDEX jobs_of_document ON jobs (run_id, document_id, task, seq);

-- parts: chunk steps; open_parts: those of them that are not over. happened_at_ms: the last end of a try or of a job; 0: nothing ended yet.
ALTER TABLE run_totals ADD COLUMN parts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN open_parts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN rate_limited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN happened_at_ms INTEGER NOT NULL DEFAULT 0;
UPDATE run_totals SET
  (parts, open_parts) = (
    SELECT count(*), count(*) FILTER (WHERE s.state NOT IN (${ENDS_OF_PART}))
    FROM jobs j JOIN steps s ON s.run_id = j.run_id AND s.job_id = j.job_id AND s.kind = 'chunk'
    WHERE j.run_id = run_totals.run_id AND j.task = run_totals.task AND j.model = run_totals.model),
  (rate_limited, happened_at_ms) = (
    SELECT count(*) FILTER (WHERE a.reason = 'rate_limited'), max(coalesce(max(a.ended_at_ms), 0), coalesce(max(j.ended_at_ms), 0))
    FROM jobs j LEFT JOIN attempts a ON a.run_id = j.run_id AND a.job_id = j.job_id
    WHERE j.run_id = run_totals.run_id AND j.task = run_totals.task AND j.model = run_totals.model);

CREATE TRIGGER totals_part_added AFTER INSERT ON steps WHEN new.kind = 'chunk' BEGIN
  UPDATE run_totals SET parts = parts + 1, open_parts = open_parts + (new.state NOT IN (${ENDS_OF_PART})) ${OF_JOB};
END;
CREATE TRIGGER totals_part_moved AFTER UPDATE OF state ON steps
WHEN new.kind = 'chunk' AND (new.state IN (${ENDS_OF_PART})) <> (old.state IN (${ENDS_OF_PART})) BEGIN
  UPDATE run_totals SET open_parts = open_parts + (new.state NOT IN (${ENDS_OF_PART})) - (old.state NOT IN (${ENDS_OF_PART})) ${OF_JOB};
END;

DROP TRIGGER totals_attempt_added;
CREATE TRIGGER totals_attempt_added AFTER INSERT ON attempts BEGIN
  UPDATE run_totals SET attempts = attempts + new.counted, lost_leases = lost_leases + (new.outcome = 'lost'),
    rate_limited = rate_limited + (new.reason IS 'rate_limited'), happened_at_ms = max(happened_at_ms, new.ended_at_ms)
  ${OF_JOB};
END;
CREATE TRIGGER totals_job_ended AFTER UPDATE OF ended_at_ms ON jobs WHEN new.ended_at_ms IS NOT NULL BEGIN
  UPDATE run_totals SET happened_at_ms = max(happened_at_ms, new.ended_at_ms)
  WHERE run_id = new.run_id AND task = new.task AND model = new.model;
END;

CREATE TABLE run_latencies (
  run_id TEXT NOT NULL REFERENCES runs,
  model TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (run_id, model, bucket)
) STRICT, WITHOUT ROWID;
INSERT INTO run_latencies (run_id, model, bucket, calls)
SELECT c.run_id, j.model, ${bucketOf('c.latency_ms')} AS bucket, count(*) FROM calls c JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id
WHERE c.latency_ms IS NOT NULL GROUP BY c.run_id, j.model, bucket;
CREATE TRIGGER latency_told AFTER UPDATE OF latency_ms ON calls WHEN old.latency_ms IS NULL AND new.latency_ms IS NOT NULL BEGIN
  INSERT INTO run_latencies (run_id, model, bucket, calls)
  SELECT run_id, model, ${bucketOf('new.latency_ms')}, 1 FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id
  ON CONFLICT (run_id, model, bucket) DO UPDATE SET calls = calls + 1;
END;

-- A row as long as this store is still to become a copy: of which store. Until then nobody else opens it.
CREATE TABLE unfinished_copy (
  source_id TEXT NOT NULL,
  source TEXT NOT NULL
) STRICT;
`;
