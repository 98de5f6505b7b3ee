/**
 * The tables of work. Times are integer milliseconds since 1970, money is integer nano-USD, structured values are JSON.
 * The CHECKs say which states cannot be; two indexes carry promises: `runs_one_unfinished` (one unfinished run per identity)
 * and `steps_one_flight` (one running step per flight key).
 */
export const TABLES = `
CREATE TABLE runs (
  run_id TEXT PRIMARY KEY,
  identity TEXT NOT NULL,
  holds_identity INTEGER NOT NULL CHECK (holds_identity IN (0, 1)),
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('planning', 'open', 'paused', 'finished', 'cancelled')),
  manifest_path TEXT NOT NULL,
  manifest TEXT NOT NULL CHECK (json_valid(manifest)),
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  aggregates TEXT NOT NULL CHECK (json_valid(aggregates)),
  out_dir TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  planned_at_ms INTEGER,
  finished_at_ms INTEGER,
  summary_at_ms INTEGER,
  fresh_after_ms INTEGER,
  CHECK (state <> 'planning' OR planned_at_ms IS NULL),
  CHECK (state NOT IN ('open', 'finished') OR planned_at_ms IS NOT NULL),
  CHECK ((state IN ('finished', 'cancelled')) = (finished_at_ms IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX runs_one_unfinished ON runs (identity) WHERE holds_identity = 1 AND state IN ('planning', 'open', 'paused');

CREATE TABLE texts (
  text_sha256 TEXT PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;

-- Pages, sections and lines of a text, as one extraction found them.
CREATE TABLE structures (
  structure_sha256 TEXT PRIMARY KEY,
  structure TEXT NOT NULL CHECK (json_valid(structure))
) STRICT;

CREATE TABLE documents (
  position INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs,
  document_id TEXT NOT NULL,
  path TEXT NOT NULL,
  bytes_sha256 TEXT,
  tags TEXT NOT NULL CHECK (json_valid(tags)),
  size_bytes INTEGER,
  text_sha256 TEXT REFERENCES texts,
  structure_sha256 TEXT REFERENCES structures,
  error_reason TEXT,
  error_message TEXT,
  UNIQUE (run_id, document_id),
  CHECK ((text_sha256 IS NULL) = (error_reason IS NOT NULL)),
  CHECK ((error_reason IS NULL) = (error_message IS NULL))
) STRICT;

CREATE TABLE jobs (
  run_id TEXT NOT NULL REFERENCES runs,
  job_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  document_id TEXT NOT NULL,
  text_sha256 TEXT REFERENCES texts,
  task TEXT NOT NULL,
  model TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  verdict TEXT CHECK (verdict IN ('pass', 'fail', 'review', 'error')),
  result TEXT CHECK (json_valid(result)),
  error_reason TEXT,
  error_message TEXT,
  cached INTEGER NOT NULL DEFAULT 0 CHECK (cached IN (0, 1)),
  answer_call_token TEXT,
  ended_at_ms INTEGER,
  artifacts_at_ms INTEGER,
  PRIMARY KEY (run_id, job_id),
  UNIQUE (run_id, seq),
  FOREIGN KEY (run_id, document_id) REFERENCES documents (run_id, document_id),
  CHECK ((state = 'failed') = (verdict IS 'error')),
  CHECK ((state IN ('succeeded', 'failed')) = (verdict IS NOT NULL)),
  CHECK (state <> 'succeeded' OR result IS NOT NULL),
  CHECK ((state = 'failed') = (error_reason IS NOT NULL)),
  CHECK ((error_reason IS NULL) = (error_message IS NULL)),
  CHECK ((state IN ('succeeded', 'failed', 'cancelled')) = (ended_at_ms IS NOT NULL)),
  CHECK (artifacts_at_ms IS NULL OR ended_at_ms IS NOT NULL)
) STRICT;
CREATE INDEX jobs_open ON jobs (run_id) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_failed ON jobs (run_id, seq) WHERE state = 'failed';
CREATE INDEX jobs_without_artifacts ON jobs (run_id, seq) WHERE artifacts_at_ms IS NULL AND ended_at_ms IS NOT NULL;

CREATE TABLE lanes (
  lane_id TEXT PRIMARY KEY,
  label TEXT NOT NULL,
  paused_reason TEXT,
  paused_message TEXT,
  cooldown_until_ms INTEGER NOT NULL DEFAULT 0,
  CHECK ((paused_reason IS NULL) = (paused_message IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE run_lanes (
  run_id TEXT NOT NULL REFERENCES runs,
  lane_id TEXT NOT NULL REFERENCES lanes,
  concurrency INTEGER NOT NULL CHECK (concurrency >= 1),
  PRIMARY KEY (run_id, lane_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_lanes_of_lane ON run_lanes (lane_id);

CREATE TABLE key_records (
  key TEXT PRIMARY KEY,
  record TEXT NOT NULL CHECK (json_valid(record))
) STRICT, WITHOUT ROWID;

-- gate: the lane whose grants the step needs, or has taken while it runs; NULL when it needs none (finish, hit, stored response).
-- parked: queued for a later time (run_at_ms), so out of the queue's index.
CREATE TABLE steps (
  step_id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('answer', 'chunk', 'reduce', 'reask', 'judge', 'finish')),
  step_index INTEGER NOT NULL,
  key TEXT REFERENCES key_records,
  failure_key TEXT NOT NULL GENERATED ALWAYS AS (coalesce(key, 'finish:' || job_id)) VIRTUAL,
  flight_key TEXT,
  lane_id TEXT,
  input_tokens INTEGER NOT NULL,
  reask TEXT CHECK (json_valid(reask)),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'queued', 'running', 'succeeded', 'failed', 'cancelled')),
  gate TEXT,
  order_ms INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  run_at_ms INTEGER NOT NULL,
  parked INTEGER NOT NULL DEFAULT 0 CHECK (parked IN (0, 1)),
  outcome TEXT CHECK (outcome IN ('answered', 'superseded', 'cached', 'finished', 'failed', 'known_bad')),
  call_token TEXT,
  lease_token TEXT,
  lease_owner TEXT,
  leased_at_ms INTEGER,
  lease_expires_at_ms INTEGER,
  deadline_at_ms INTEGER,
  counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
  FOREIGN KEY (run_id, job_id) REFERENCES jobs (run_id, job_id),
  FOREIGN KEY (run_id, lane_id) REFERENCES run_lanes (run_id, lane_id),
  CHECK (kind <> 'finish' OR (key IS NULL AND lane_id IS NULL)),
  CHECK (kind = 'finish' OR state IN ('waiting', 'cancelled') OR key IS NOT NULL),
  CHECK ((key IS NULL) = (flight_key IS NULL)),
  CHECK (kind = 'finish' OR lane_id IS NOT NULL),
  CHECK (gate IS NULL OR gate = lane_id),
  CHECK ((kind = 'reask') = (reask IS NOT NULL)),
  CHECK (parked = 0 OR state = 'queued'),
  CHECK ((state IN ('succeeded', 'failed')) = (outcome IS NOT NULL)),
  CHECK ((state = 'running') = (lease_token IS NOT NULL)),
  CHECK ((state = 'running') = (lease_owner IS NOT NULL)),
  CHECK ((state = 'running') = (leased_at_ms IS NOT NULL)),
  CHECK ((state = 'running') = (lease_expires_at_ms IS NOT NULL)),
  CHECK ((state = 'running') = (deadline_at_ms IS NOT NULL)),
  CHECK (counted = 0 OR state = 'running')
) STRICT;
CREATE INDEX steps_queue ON steps (run_id, gate, order_ms, seq, step_id) WHERE state = 'queued' AND parked = 0;
CREATE INDEX steps_parked ON steps (run_id, run_at_ms) WHERE state = 'queued' AND parked = 1;
CREATE UNIQUE INDEX steps_one_flight ON steps (flight_key) WHERE state = 'running';
CREATE INDEX steps_open_reask ON steps (flight_key) WHERE kind = 'reask' AND state IN ('waiting', 'queued', 'running');
CREATE UNIQUE INDEX steps_lease ON steps (lease_token) WHERE lease_token IS NOT NULL;
CREATE INDEX steps_expiry ON steps (lease_expires_at_ms) WHERE state = 'running';
CREATE INDEX steps_owner ON steps (lease_owner) WHERE state = 'running';
CREATE INDEX steps_running ON steps (run_id, gate) WHERE state = 'running';
CREATE INDEX steps_open ON steps (run_id) WHERE state IN ('waiting', 'queued', 'running');
CREATE INDEX steps_queued_key ON steps (key, run_id) WHERE state = 'queued';
CREATE INDEX steps_failed_key ON steps (run_id, key) WHERE state = 'failed';
CREATE INDEX steps_of_job ON steps (run_id, job_id);
CREATE UNIQUE INDEX steps_one_of_a_kind ON steps (run_id, job_id, kind, step_index) WHERE kind <> 'reask';

-- What failed, per run and key; finish steps use 'finish:<job>'. failed = 1: nothing of this key is asked again in this run.
CREATE TABLE keys (
  run_id TEXT NOT NULL REFERENCES runs,
  key TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  losses INTEGER NOT NULL DEFAULT 0 CHECK (losses >= 0),
  not_before_ms INTEGER NOT NULL DEFAULT 0,
  suspect INTEGER NOT NULL DEFAULT 0 CHECK (suspect IN (0, 1)),
  failed INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)),
  reason TEXT,
  message TEXT,
  PRIMARY KEY (run_id, key),
  CHECK (failed = 0 OR (reason IS NOT NULL AND message IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- The money ledger: one row per call, made by the claim.
CREATE TABLE calls (
  call_token TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  step_id INTEGER NOT NULL REFERENCES steps,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'sent', 'settled', 'released', 'unknown')),
  uncached_input INTEGER,
  cache_read INTEGER,
  cache_write INTEGER,
  output INTEGER,
  reasoning INTEGER,
  cost_nano_usd INTEGER CHECK (cost_nano_usd >= 0),
  reserved_at_ms INTEGER NOT NULL,
  sent_at_ms INTEGER,
  settled_at_ms INTEGER,
  FOREIGN KEY (run_id, job_id) REFERENCES jobs (run_id, job_id),
  CHECK ((uncached_input IS NULL) = (output IS NULL)),
  CHECK (state NOT IN ('sent', 'unknown') OR sent_at_ms IS NOT NULL),
  CHECK ((state IN ('reserved', 'sent')) = (settled_at_ms IS NULL))
) STRICT;
CREATE INDEX calls_of_job ON calls (run_id, job_id);

-- What came back, whole and before it is parsed. Rejected answers stay for audit and are never served.
CREATE TABLE responses (
  call_token TEXT PRIMARY KEY REFERENCES calls,
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
  CHECK ((judgement = 'valid') = (answer IS NOT NULL)),
  CHECK ((judgement = 'none') = (judged_at_ms IS NULL))
) STRICT;
CREATE INDEX responses_of_key ON responses (run_id, key, judgement);

CREATE TABLE cache (
  key TEXT PRIMARY KEY,
  call_token TEXT NOT NULL REFERENCES responses,
  stored_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE known_bad (
  key TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  call_token TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  attempt_id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  step_id INTEGER NOT NULL REFERENCES steps,
  number INTEGER NOT NULL,
  call_token TEXT,
  outcome TEXT NOT NULL CHECK (outcome IN ('succeeded', 'superseded', 'failed', 'downgraded', 'handed_back', 'lost')),
  failure TEXT CHECK (json_valid(failure)),
  reason TEXT,
  counted INTEGER NOT NULL CHECK (counted IN (0, 1)),
  final INTEGER NOT NULL CHECK (final IN (0, 1)),
  started_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER NOT NULL,
  UNIQUE (step_id, number),
  FOREIGN KEY (run_id, job_id) REFERENCES jobs (run_id, job_id)
) STRICT;
CREATE INDEX attempts_of_job ON attempts (run_id, job_id);
CREATE INDEX attempts_retried ON attempts (run_id, reason) WHERE outcome IN ('failed', 'lost') AND final = 0;
CREATE TRIGGER attempts_never_change BEFORE UPDATE ON attempts BEGIN
  SELECT RAISE(ABORT, 'attempts are appended, never changed');
END;

-- died_with_suspect: its last death was charged to the suspect that it held.
CREATE TABLE workers (
  worker_id TEXT PRIMARY KEY,
  run_id TEXT REFERENCES runs,
  host_id TEXT NOT NULL,
  hostname TEXT NOT NULL,
  pid INTEGER NOT NULL,
  version TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  beat_at_ms INTEGER NOT NULL,
  died_with_suspect INTEGER NOT NULL DEFAULT 0 CHECK (died_with_suspect IN (0, 1))
) STRICT, WITHOUT ROWID;

-- The structured-output mode that is left after a downgrade.
CREATE TABLE model_modes (
  endpoint TEXT NOT NULL,
  model TEXT NOT NULL,
  mode TEXT NOT NULL,
  PRIMARY KEY (endpoint, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  name TEXT PRIMARY KEY CHECK (name IN ('maxRunning')),
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
