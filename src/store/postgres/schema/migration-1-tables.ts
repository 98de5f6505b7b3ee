import { MANY_ROWS, ONE_ROW } from './storage.ts';

/**
 * The tables of work. Times are milliseconds since 1970, money is nano-USD, both bigint. The CHECKs say which states cannot be; two
 * indexes carry promises: `runs_one_unfinished` (one unfinished run per identity) and `steps_one_flight` (one running step per flight
 * key). Texts are ordered by their bytes, whatever the database's language. What holds words of documents or models is `json`: `jsonb`
 * takes no NUL and writes numbers anew; documents are bytes for the same reason. Rows that change often are narrow: what is long stands
 * in a table of its own.
 *
 * Of indexes that promise as few rows the planner takes the youngest, and in a small table, or one that was never looked at, all promise
 * one. A session keeps plans that it made then, also those that look for referenced rows. So the indexes that find most stand first,
 * and primary keys last.
 */
export const TABLES = `
-- One row: which store this is.
CREATE TABLE store (store_id text COLLATE "C" NOT NULL);
INSERT INTO store (store_id) VALUES (replace(gen_random_uuid()::text, '-', ''));

CREATE TABLE settings (
  name text COLLATE "C" PRIMARY KEY CHECK (name IN ('maxRunning')),
  value bigint NOT NULL
);

-- written_from: the database and schema that gave the run its out_dir: in a copy that is another one, and so are the files.
CREATE TABLE runs (
  run_id text COLLATE "C" PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY,
  identity text COLLATE "C" NOT NULL,
  holds_identity boolean NOT NULL,
  name text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('planning', 'open', 'paused', 'finished', 'cancelled')),
  manifest_path text COLLATE "C" NOT NULL,
  manifest json NOT NULL,
  settings jsonb NOT NULL,
  aggregates json NOT NULL,
  out_dir text COLLATE "C" NOT NULL,
  written_from text COLLATE "C" NOT NULL,
  created_at_ms bigint NOT NULL,
  planned_at_ms bigint,
  finished_at_ms bigint,
  summary_at_ms bigint,
  fresh_after_ms bigint,
  pruned_at_ms bigint,
  CHECK (state <> 'planning' OR planned_at_ms IS NULL),
  CHECK (state NOT IN ('open', 'finished') OR planned_at_ms IS NOT NULL),
  CHECK ((state IN ('finished', 'cancelled')) = (finished_at_ms IS NOT NULL))
) WITH (${MANY_ROWS});
CREATE UNIQUE INDEX runs_one_unfinished ON runs (identity) WHERE holds_identity AND state IN ('planning', 'open', 'paused');
CREATE INDEX runs_unfinished ON runs (run_id) WHERE state IN ('planning', 'open', 'paused');

CREATE TABLE revisions (
  run_id text COLLATE "C" PRIMARY KEY REFERENCES runs,
  revision bigint NOT NULL
) WITH (${ONE_ROW});

-- failures: jobs that were asked and failed, as often as they did; failures_before: those before a person last started the run.
CREATE TABLE run_progress (
  run_id text COLLATE "C" PRIMARY KEY REFERENCES runs,
  active_ms bigint NOT NULL DEFAULT 0 CHECK (active_ms >= 0),
  seen_at_ms bigint,
  failures bigint NOT NULL DEFAULT 0,
  failures_before bigint NOT NULL DEFAULT 0
) WITH (${ONE_ROW});

-- Who may write the run's files, as long as it renews this.
CREATE TABLE file_locks (
  run_id text COLLATE "C" PRIMARY KEY,
  holder text COLLATE "C" NOT NULL,
  expires_at_ms bigint NOT NULL
);

CREATE TABLE texts (
  text_sha256 text COLLATE "C" PRIMARY KEY,
  text bytea NOT NULL
);

-- Pages, sections and lines of a text, as one extraction found them.
CREATE TABLE structures (
  structure_sha256 text COLLATE "C" PRIMARY KEY,
  structure json NOT NULL
);

-- Each names a pair of text and structure that some document has, so that it goes with them.
CREATE TABLE extractions (
  extraction_key text COLLATE "C" PRIMARY KEY,
  text_sha256 text COLLATE "C" NOT NULL REFERENCES texts,
  structure_sha256 text COLLATE "C" NOT NULL REFERENCES structures,
  tokens bigint NOT NULL CHECK (tokens >= 0),
  max_tokens bigint NOT NULL CHECK (max_tokens >= 0),
  -- Tokens of each stretch of the text, by which a part's are known; NULL: they were estimated.
  stretches json
);
CREATE INDEX extractions_of_text ON extractions (text_sha256);
CREATE INDEX extractions_of_structure ON extractions (structure_sha256);

CREATE TABLE documents (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id text COLLATE "C" NOT NULL REFERENCES runs,
  document_id text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  bytes_sha256 text COLLATE "C",
  tags json NOT NULL,
  size_bytes bigint,
  text_sha256 text COLLATE "C" REFERENCES texts,
  structure_sha256 text COLLATE "C" REFERENCES structures,
  error_reason text COLLATE "C",
  error_message text COLLATE "C",
  UNIQUE (run_id, document_id),
  CHECK ((text_sha256 IS NULL) = (error_reason IS NOT NULL)),
  CHECK ((error_reason IS NULL) = (error_message IS NULL))
);
CREATE INDEX documents_of_text ON documents (text_sha256);
CREATE INDEX documents_of_structure ON documents (structure_sha256);

-- result_verdict: of the result that it has, which a job that is asked afresh keeps until the new one is there.
-- cancel_asked: a person wants its open work ended: its running calls finish ('drain') or are ended ('now').
CREATE TABLE jobs (
  run_id text COLLATE "C" NOT NULL REFERENCES runs,
  job_id text COLLATE "C" NOT NULL,
  seq integer NOT NULL,
  document_id text COLLATE "C" NOT NULL,
  text_sha256 text COLLATE "C",
  task text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  repeat integer NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  verdict text COLLATE "C" CHECK (verdict IN ('pass', 'fail', 'review', 'error')),
  result_verdict text COLLATE "C" CHECK (result_verdict IN ('pass', 'fail', 'review')),
  error_reason text COLLATE "C",
  error_message text COLLATE "C",
  cached boolean NOT NULL DEFAULT false,
  answer_call_token text COLLATE "C",
  cancel_asked text COLLATE "C" CHECK (cancel_asked IN ('drain', 'now')),
  ended_at_ms bigint,
  artifacts_at_ms bigint,
  FOREIGN KEY (run_id, document_id) REFERENCES documents (run_id, document_id),
  CHECK ((state = 'failed') = (verdict IS NOT DISTINCT FROM 'error')),
  CHECK ((state IN ('succeeded', 'failed')) = (verdict IS NOT NULL)),
  CHECK (state <> 'succeeded' OR result_verdict IS NOT NULL),
  CHECK ((state = 'failed') = (error_reason IS NOT NULL)),
  CHECK ((error_reason IS NULL) = (error_message IS NULL)),
  CHECK ((state IN ('succeeded', 'failed', 'cancelled')) = (ended_at_ms IS NOT NULL)),
  CHECK (artifacts_at_ms IS NULL OR ended_at_ms IS NOT NULL)
) WITH (${MANY_ROWS});
-- By the end, not by the state: what looks for one job in such a state must not find it among all that are open.
CREATE INDEX jobs_open ON jobs (run_id) WHERE ended_at_ms IS NULL;
CREATE INDEX jobs_failed ON jobs (run_id, seq) WHERE state = 'failed';
CREATE INDEX jobs_failed_why ON jobs (run_id, error_reason) WHERE state = 'failed';
CREATE INDEX jobs_without_artifacts ON jobs (run_id, seq) WHERE artifacts_at_ms IS NULL AND ended_at_ms IS NOT NULL;
CREATE INDEX jobs_by_end ON jobs (run_id, ended_at_ms, seq) WHERE ended_at_ms IS NOT NULL;
CREATE INDEX jobs_to_end ON jobs (run_id) WHERE cancel_asked = 'now' AND state = 'running';
-- A status counts results with repeats from this alone.
CREATE INDEX jobs_of_result ON jobs (run_id, task, document_id, model, state, verdict);
CREATE INDEX jobs_of_document ON jobs (run_id, document_id, task, seq);
ALTER TABLE jobs ADD UNIQUE (run_id, seq);
ALTER TABLE jobs ADD PRIMARY KEY (run_id, job_id);

-- later: the calls that follow from the job's steps' answers (LaterCall[]), as they were foreseen.
CREATE TABLE job_plans (
  run_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  later json NOT NULL,
  PRIMARY KEY (run_id, job_id),
  FOREIGN KEY (run_id, job_id) REFERENCES jobs
);

CREATE TABLE job_results (
  run_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  result json NOT NULL,
  PRIMARY KEY (run_id, job_id),
  FOREIGN KEY (run_id, job_id) REFERENCES jobs
);

-- account_id: lanes of one endpoint and key, which are refused together. pace: LanePace; what is missing in it was not observed yet.
-- paused_until_ms: NULL in a paused lane: until a person acts.
CREATE TABLE lanes (
  lane_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  pace jsonb NOT NULL DEFAULT '{}',
  paused_reason text COLLATE "C",
  paused_message text COLLATE "C",
  paused_until_ms bigint CHECK (paused_until_ms IS NULL OR paused_reason IS NOT NULL),
  CHECK ((paused_reason IS NULL) = (paused_message IS NULL))
) WITH (${ONE_ROW});
CREATE INDEX lanes_of_account ON lanes (account_id) WHERE account_id <> '';

CREATE TABLE run_lanes (
  run_id text COLLATE "C" NOT NULL REFERENCES runs,
  lane_id text COLLATE "C" NOT NULL REFERENCES lanes,
  concurrency bigint NOT NULL CHECK (concurrency >= 1),
  requests_per_minute double precision CHECK (requests_per_minute >= 1),
  tokens_per_minute double precision CHECK (tokens_per_minute >= 1),
  token_accounting text COLLATE "C" NOT NULL CHECK (token_accounting IN ('reserved', 'actual')),
  adaptive boolean NOT NULL,
  PRIMARY KEY (run_id, lane_id)
);
CREATE INDEX run_lanes_of_lane ON run_lanes (lane_id);

-- The server does not know this model of the run, or it cannot do what the run asks of it: its steps are parked until a person acts.
CREATE TABLE paused_models (
  run_id text COLLATE "C" NOT NULL REFERENCES runs,
  model text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  PRIMARY KEY (run_id, model)
);

-- Beginnings of prompts that a lane's server may have in its cache. warming_token: the call that brings it there.
CREATE TABLE prefixes (
  lane_id text COLLATE "C" NOT NULL REFERENCES lanes,
  prefix text COLLATE "C" NOT NULL,
  warming_token text COLLATE "C",
  warmed_at_ms bigint,
  PRIMARY KEY (lane_id, prefix)
);
CREATE INDEX prefixes_warming ON prefixes (lane_id) WHERE warming_token IS NOT NULL;
CREATE INDEX prefixes_by_age ON prefixes (lane_id, warmed_at_ms);

-- What of the record is looked for stands beside it.
CREATE TABLE key_records (
  key text COLLATE "C" PRIMARY KEY,
  record json NOT NULL,
  endpoint text COLLATE "C",
  model text COLLATE "C",
  namespace text COLLATE "C",
  prompt_sha256 text COLLATE "C"
);
CREATE INDEX key_records_of_prompt ON key_records (prompt_sha256);

-- gate: the lane whose grants the step needs, or has taken while it runs; NULL when it needs none (finish, hit, stored response).
-- parked: queued for a later time (run_at_ms), so out of the queue's index. fresh_after_ms: only answers stored later are hits.
-- requires: the tags that a worker must have to call for the step, sorted, with commas between; empty: none.
CREATE TABLE steps (
  step_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('answer', 'chunk', 'reduce', 'reask', 'judge', 'finish')),
  step_index integer NOT NULL,
  key text COLLATE "C" REFERENCES key_records,
  flight_key text COLLATE "C",
  lane_id text COLLATE "C",
  requires text COLLATE "C" NOT NULL DEFAULT '',
  input_tokens bigint NOT NULL,
  max_input_tokens bigint NOT NULL DEFAULT 0,
  prefix text COLLATE "C",
  state text COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'queued', 'running', 'succeeded', 'failed', 'cancelled')),
  gate text COLLATE "C",
  order_ms bigint NOT NULL,
  seq integer NOT NULL,
  run_at_ms bigint NOT NULL,
  parked boolean NOT NULL DEFAULT false,
  fresh_after_ms bigint,
  outcome text COLLATE "C" CHECK (outcome IN ('answered', 'superseded', 'cached', 'finished', 'failed', 'known_bad')),
  call_token text COLLATE "C",
  lease_token text COLLATE "C",
  lease_owner text COLLATE "C",
  leased_at_ms bigint,
  lease_expires_at_ms bigint,
  deadline_at_ms bigint,
  counted boolean NOT NULL DEFAULT false,
  FOREIGN KEY (run_id, job_id) REFERENCES jobs (run_id, job_id),
  FOREIGN KEY (run_id, lane_id) REFERENCES run_lanes (run_id, lane_id),
  CHECK (kind <> 'finish' OR (key IS NULL AND lane_id IS NULL)),
  CHECK (kind = 'finish' OR state IN ('waiting', 'cancelled') OR key IS NOT NULL),
  CHECK ((key IS NULL) = (flight_key IS NULL)),
  CHECK (kind = 'finish' OR lane_id IS NOT NULL),
  CHECK (gate IS NULL OR gate IS NOT DISTINCT FROM lane_id),
  CHECK (NOT parked OR state = 'queued'),
  CHECK ((state IN ('succeeded', 'failed')) = (outcome IS NOT NULL)),
  CHECK ((state = 'running') = (lease_token IS NOT NULL)),
  CHECK ((state = 'running') = (lease_owner IS NOT NULL)),
  CHECK ((state = 'running') = (leased_at_ms IS NOT NULL)),
  CHECK ((state = 'running') = (lease_expires_at_ms IS NOT NULL)),
  CHECK ((state = 'running') = (deadline_at_ms IS NOT NULL)),
  CHECK (NOT counted OR state = 'running')
) WITH (${MANY_ROWS});
CREATE INDEX steps_of_lane ON steps (run_id, lane_id);
CREATE INDEX steps_running ON steps (run_id, gate) WHERE state = 'running';
CREATE INDEX steps_parked ON steps (run_id, run_at_ms) WHERE state = 'queued' AND parked;
-- Steps of the same needs stand together, so that a worker finds the first that it may have whatever number of others stands before it.
CREATE INDEX steps_queue ON steps (run_id, gate, requires, order_ms, seq, step_id) WHERE state = 'queued' AND NOT parked;
-- Steps that need no call are anybody's.
CREATE INDEX steps_free ON steps (run_id, order_ms, seq, step_id) WHERE state = 'queued' AND NOT parked AND gate IS NULL;
CREATE INDEX steps_owner ON steps (lease_owner) WHERE state = 'running';
CREATE INDEX steps_open_reask ON steps (flight_key) WHERE kind = 'reask' AND state IN ('waiting', 'queued', 'running');
CREATE INDEX steps_of_job ON steps (run_id, job_id);
CREATE INDEX steps_of_key ON steps (key, run_id);
CREATE UNIQUE INDEX steps_one_flight ON steps (flight_key) WHERE state = 'running';
CREATE UNIQUE INDEX steps_one_flight_in_run ON steps (run_id, key) WHERE state = 'running';
CREATE UNIQUE INDEX steps_lease ON steps (lease_token) WHERE lease_token IS NOT NULL;
CREATE UNIQUE INDEX steps_one_finish ON steps (run_id, job_id) WHERE kind = 'finish';
-- What an earlier round of a job was reduced to is superseded.
CREATE UNIQUE INDEX steps_one_reduce ON steps (run_id, job_id) WHERE kind = 'reduce' AND outcome IS DISTINCT FROM 'superseded';

-- input: StepInput, a part of the document, or a prompt that was made of other steps' answers; NULL: the whole document.
-- reask: ReaskInput, what a re-ask mends. A step that asks the whole document for the first time has no row.
CREATE TABLE step_inputs (
  step_id bigint PRIMARY KEY REFERENCES steps,
  input json,
  input_kind text COLLATE "C",
  reask json,
  CHECK (input IS NOT NULL OR reask IS NOT NULL),
  CHECK ((input IS NULL) = (input_kind IS NULL))
);

-- What failed, per run and key; finish steps use 'finish:<job>'. failed: nothing of this key is asked again in this run.
CREATE TABLE keys (
  run_id text COLLATE "C" NOT NULL REFERENCES runs,
  key text COLLATE "C" NOT NULL,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  losses integer NOT NULL DEFAULT 0 CHECK (losses >= 0),
  waits integer NOT NULL DEFAULT 0 CHECK (waits >= 0),
  not_before_ms bigint NOT NULL DEFAULT 0,
  suspect boolean NOT NULL DEFAULT false,
  failed boolean NOT NULL DEFAULT false,
  reason text COLLATE "C",
  message text COLLATE "C",
  PRIMARY KEY (run_id, key),
  CHECK (NOT failed OR (reason IS NOT NULL AND message IS NOT NULL))
) WITH (${MANY_ROWS});

-- The money ledger: one row per call, made by the claim. worst_nano_usd: what it costs at most, by its run's prices then; NULL: unknown.
-- estimated: the unknown call was settled by an estimate; its true outcome still replaces it. worst_tokens: the most that it may use; of
-- one that was settled by an estimate what it is taken to have used. granted_tokens: what the grant took of the lane's tokens; NULL once
-- the lane has heard how the call ended. budget_month: when it was reserved, in UTC: 2026-11.
CREATE TABLE calls (
  call_token text COLLATE "C" NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  run_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  step_id bigint NOT NULL REFERENCES steps,
  state text COLLATE "C" NOT NULL CHECK (state IN ('reserved', 'sent', 'settled', 'released', 'unknown')),
  uncached_input bigint,
  cache_read bigint,
  cache_write bigint,
  output bigint,
  reasoning bigint,
  cost_nano_usd bigint CHECK (cost_nano_usd >= 0),
  worst_nano_usd bigint CHECK (worst_nano_usd >= 0),
  estimated boolean NOT NULL DEFAULT false,
  worst_tokens bigint CHECK (worst_tokens >= 0),
  granted_tokens bigint CHECK (granted_tokens >= 0),
  latency_ms bigint,
  first_token_ms bigint,
  budget_group text COLLATE "C",
  budget_month text COLLATE "C",
  reserved_at_ms bigint NOT NULL,
  sent_at_ms bigint,
  settled_at_ms bigint,
  FOREIGN KEY (run_id, job_id) REFERENCES jobs (run_id, job_id),
  CHECK ((uncached_input IS NULL) = (output IS NULL)),
  CHECK (state NOT IN ('sent', 'unknown') OR sent_at_ms IS NOT NULL),
  CHECK ((state IN ('reserved', 'sent')) = (settled_at_ms IS NULL))
) WITH (${MANY_ROWS});
CREATE INDEX calls_of_job ON calls (run_id, job_id);
CREATE INDEX calls_of_step ON calls (step_id);
CREATE INDEX calls_unknown ON calls (run_id) WHERE state = 'unknown';
-- A reset of the group leaves these out: their true cost may still come.
CREATE INDEX calls_estimated ON calls (budget_group) WHERE estimated AND budget_group IS NOT NULL;
ALTER TABLE calls ADD PRIMARY KEY (call_token);

-- What came back, whole and before it is parsed; it outlives its run. Rejected answers stay for audit and are never served.
-- imported: another store's. Its run and job say where it was paid for, and may be called like ones that are here.
CREATE TABLE responses (
  call_token text COLLATE "C" NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  run_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  step_kind text COLLATE "C" NOT NULL,
  completion json NOT NULL,
  latency_ms double precision NOT NULL,
  mode text COLLATE "C",
  recorded_at_ms bigint NOT NULL,
  judgement text COLLATE "C" NOT NULL DEFAULT 'none' CHECK (judgement IN ('none', 'valid', 'invalid')),
  judged_at_ms bigint,
  answer json,
  repaired boolean NOT NULL DEFAULT false,
  cost_nano_usd bigint CHECK (cost_nano_usd >= 0),
  imported boolean NOT NULL DEFAULT false,
  CHECK ((judgement = 'valid') = (answer IS NOT NULL)),
  CHECK ((judgement = 'none') = (judged_at_ms IS NULL))
) WITH (${MANY_ROWS});
CREATE INDEX responses_of_key ON responses (run_id, key, judgement);
CREATE INDEX responses_unjudged ON responses (key) WHERE judgement = 'none';
ALTER TABLE responses ADD PRIMARY KEY (call_token);

CREATE TABLE cache (
  key text COLLATE "C" PRIMARY KEY REFERENCES key_records,
  call_token text COLLATE "C" NOT NULL REFERENCES responses,
  stored_at_ms bigint NOT NULL
);
CREATE INDEX cache_of_call ON cache (call_token);

CREATE TABLE known_bad (
  key text COLLATE "C" PRIMARY KEY,
  reason text COLLATE "C" NOT NULL,
  message text COLLATE "C" NOT NULL,
  call_token text COLLATE "C" NOT NULL
);

CREATE TABLE attempts (
  attempt_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  step_id bigint NOT NULL REFERENCES steps,
  number integer NOT NULL,
  call_token text COLLATE "C",
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('succeeded', 'superseded', 'failed', 'downgraded', 'handed_back', 'lost')),
  failure json,
  reason text COLLATE "C",
  counted boolean NOT NULL,
  final boolean NOT NULL,
  started_at_ms bigint NOT NULL,
  ended_at_ms bigint NOT NULL,
  UNIQUE (step_id, number),
  FOREIGN KEY (run_id, job_id) REFERENCES jobs (run_id, job_id)
);
CREATE INDEX attempts_of_job ON attempts (run_id, job_id);
CREATE INDEX attempts_retried ON attempts (run_id, reason) WHERE outcome IN ('failed', 'lost') AND NOT final;
-- What \`logs\` reads, page by page. A try that succeeded is told by its job's end.
CREATE INDEX attempts_told ON attempts (run_id, ended_at_ms) WHERE outcome IN ('failed', 'lost', 'superseded', 'downgraded');

-- died_with_suspect: its last death was charged to the suspect that it held. plans: it was started with the manifest: while such a worker
-- of a run in 'planning' lives, more jobs of that come.
CREATE TABLE workers (
  worker_id text COLLATE "C" PRIMARY KEY,
  run_id text COLLATE "C" REFERENCES runs,
  host_id text COLLATE "C" NOT NULL,
  hostname text COLLATE "C" NOT NULL,
  pid bigint NOT NULL,
  version text COLLATE "C" NOT NULL,
  tags json NOT NULL DEFAULT '[]',
  plans boolean NOT NULL DEFAULT false,
  started_at_ms bigint NOT NULL,
  beat_at_ms bigint NOT NULL,
  died_with_suspect boolean NOT NULL DEFAULT false
) WITH (${ONE_ROW});
CREATE INDEX workers_of_run ON workers (run_id);

-- The last transaction of each slot of each process: see CommitMarks.
CREATE TABLE commit_marks (
  process text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  xact_id text COLLATE "C" NOT NULL,
  marked_at_ms bigint NOT NULL,
  PRIMARY KEY (process, slot)
) WITH (${ONE_ROW});

-- For how long leases that ran out were watched to stand unrenewed, by one process after the other. One that was renewed since has another end.
CREATE TABLE watched_leases (
  lease_token text COLLATE "C" PRIMARY KEY,
  expires_at_ms bigint NOT NULL,
  watched_ms bigint NOT NULL
) WITH (${ONE_ROW});

-- The structured-output mode that is left after a downgrade.
CREATE TABLE model_modes (
  endpoint text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  mode text COLLATE "C" NOT NULL,
  PRIMARY KEY (endpoint, model)
);

-- A row as long as this store is still to become a copy: of which store. Until then nobody else opens it.
CREATE TABLE unfinished_copy (
  source_id text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL
);

-- Groups that runs share a budget in: the row that a claim locks, whatever the month.
CREATE TABLE budget_groups (group_name text COLLATE "C" PRIMARY KEY);
`;
