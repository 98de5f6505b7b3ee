/**
 * Revisions tell a slow writer of files that its rows have changed meanwhile; waits and rate failures slow down what a server
 * refuses; fewer indexes carry the same promises, and one more: a key never has two running steps in one run.
 */
export const REVISIONS = `
ALTER TABLE keys ADD COLUMN waits INTEGER NOT NULL DEFAULT 0 CHECK (waits >= 0);
ALTER TABLE lanes ADD COLUMN rate_failures INTEGER NOT NULL DEFAULT 0 CHECK (rate_failures >= 0);
ALTER TABLE lanes ADD COLUMN rate_failed_at_ms INTEGER NOT NULL DEFAULT 0;

-- Apart from runs, whose rows are long because they hold the manifest.
CREATE TABLE revisions (
  run_id TEXT PRIMARY KEY REFERENCES runs,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO revisions (run_id, revision) SELECT run_id, 0 FROM runs;

CREATE TRIGGER revision_of_new_run AFTER INSERT ON runs BEGIN
  INSERT INTO revisions (run_id, revision) VALUES (new.run_id, 0);
END;
CREATE TRIGGER revision_run_changed
AFTER UPDATE OF state, manifest, settings, out_dir, planned_at_ms, finished_at_ms ON runs BEGIN
  UPDATE revisions SET revision = revision + 1 WHERE run_id = new.run_id;
END;
CREATE TRIGGER revision_job_added AFTER INSERT ON jobs BEGIN
  UPDATE revisions SET revision = revision + 1 WHERE run_id = new.run_id;
END;
CREATE TRIGGER revision_job_changed
AFTER UPDATE OF state, verdict, result, error_reason, error_message, cached, answer_call_token, ended_at_ms ON jobs BEGIN
  UPDATE revisions SET revision = revision + 1 WHERE run_id = new.run_id;
END;
-- A call may end after its job did: what it cost stands in the job's files and in the summary.
CREATE TRIGGER revision_call_ended AFTER UPDATE OF state ON calls
WHEN new.settled_at_ms IS NOT NULL AND EXISTS (
  SELECT 1 FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id AND ended_at_ms IS NOT NULL)
BEGIN
  UPDATE revisions SET revision = revision + 1 WHERE run_id = new.run_id;
  UPDATE jobs SET artifacts_at_ms = NULL WHERE run_id = new.run_id AND job_id = new.job_id AND artifacts_at_ms IS NOT NULL;
  UPDATE runs SET summary_at_ms = NULL WHERE run_id = new.run_id AND summary_at_ms IS NOT NULL;
END;

CREATE UNIQUE INDEX steps_one_flight_in_run ON steps (run_id, key) WHERE state = 'running';
CREATE UNIQUE INDEX steps_one_finish ON steps (run_id, job_id) WHERE kind = 'finish';
CREATE INDEX responses_unjudged ON responses (key) WHERE judgement = 'none';

-- Few steps run at once, so one index over them serves every question about them. That a step is open is told by its job.
DROP INDEX steps_expiry;
DROP INDEX steps_owner;
DROP INDEX steps_running;
DROP INDEX steps_open;
DROP INDEX steps_one_of_a_kind;
CREATE INDEX steps_running ON steps (lease_owner, lease_expires_at_ms, run_id, gate) WHERE state = 'running';
`;
