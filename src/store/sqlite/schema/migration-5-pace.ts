/**
 * Tokens that count against a budget though nobody knows them: the most that the call may use. A call that was refused used none: it
 * cost nothing, no answer came, and that is no estimate. `call` is `new`, `old` or an alias.
 */
function unknownTokens(call: string): string {
  return `iif(${call}.output IS NULL AND (${call}.state IN ('reserved', 'sent', 'unknown') OR (${call}.state = 'settled'
      AND (${call}.cost_nano_usd IS NOT 0 OR ${call}.estimated = 1 OR ${call}.latency_ms IS NOT NULL))), coalesce(${call}.worst_tokens, 0), 0)`;
}

/** The same of money, for a call that is over and whose price nobody knows. */
function assumedCost(call: string): string {
  return `iif(${call}.state = 'settled' AND ${call}.cost_nano_usd IS NULL, coalesce(${call}.worst_nano_usd, 0), 0)`;
}

function spentCost(call: string): string {
  return `iif(${call}.state = 'settled', coalesce(${call}.cost_nano_usd, ${call}.worst_nano_usd, 0), 0)`;
}

function worstCostIn(call: string, states: string): string {
  return `iif(${call}.state IN (${states}), coalesce(${call}.worst_nano_usd, 0), 0)`;
}

/** Of an answer that came in pieces and whose tokens are known: how fast they came. */
function ofStreamed(call: string, value: string): string {
  return `iif(${call}.state = 'settled' AND ${call}.latency_ms IS NOT NULL AND ${call}.first_token_ms IS NOT NULL
      AND ${call}.output IS NOT NULL, ${value}, 0)`;
}

const change = (of: (call: string) => string) => `${of('new')} - ${of('old')}`;

const OPEN_CALL = `'reserved', 'sent'`;

/**
 * What a lane learns of its server (pace), what keeps it from sending and until when, what a call takes of its lane and of its run's
 * budget, and which prompts a server may have in its cache.
 */
export const PACE = `
-- account_id: lanes of one endpoint and key, which are refused together. pace: LanePace; what is missing in it was not observed yet.
ALTER TABLE lanes ADD COLUMN account_id TEXT NOT NULL DEFAULT '';
ALTER TABLE lanes ADD COLUMN pace TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(pace));
-- NULL in a paused lane: until a person acts.
ALTER TABLE lanes ADD COLUMN paused_until_ms INTEGER CHECK (paused_until_ms IS NULL OR paused_reason IS NOT NULL);
ALTER TABLE lanes DROP COLUMN cooldown_until_ms;
ALTER TABLE lanes DROP COLUMN rate_failures;
ALTER TABLE lanes DROP COLUMN rate_failed_at_ms;
CREATE INDEX lanes_of_account ON lanes (account_id) WHERE account_id <> '';

ALTER TABLE run_lanes ADD COLUMN requests_per_minute INTEGER CHECK (requests_per_minute >= 1);
ALTER TABLE run_lanes ADD COLUMN tokens_per_minute INTEGER CHECK (tokens_per_minute >= 1);
ALTER TABLE run_lanes ADD COLUMN token_accounting TEXT NOT NULL DEFAULT 'reserved' CHECK (token_accounting IN ('reserved', 'actual'));
ALTER TABLE run_lanes ADD COLUMN adaptive INTEGER NOT NULL DEFAULT 0 CHECK (adaptive IN (0, 1));
CREATE INDEX runs_unfinished ON runs (run_id) WHERE state IN ('planning', 'open', 'paused');

ALTER TABLE steps ADD COLUMN max_input_tokens INTEGER NOT NULL DEFAULT 0;
UPDATE steps SET max_input_tokens = input_tokens;
ALTER TABLE steps ADD COLUMN prefix TEXT;

-- The most that the call may use; of one that was settled by an estimate what it is taken to have used.
ALTER TABLE calls ADD COLUMN worst_tokens INTEGER CHECK (worst_tokens >= 0);
-- What the grant took of the lane's tokens; NULL once the lane has heard how the call ended, or when it never took any.
ALTER TABLE calls ADD COLUMN granted_tokens INTEGER CHECK (granted_tokens >= 0);
ALTER TABLE calls ADD COLUMN latency_ms INTEGER;
ALTER TABLE calls ADD COLUMN first_token_ms INTEGER;
ALTER TABLE calls ADD COLUMN budget_group TEXT;
-- When the call was reserved, in UTC: 2026-11.
ALTER TABLE calls ADD COLUMN budget_month TEXT;
-- A run of an earlier version has its prices in its manifest alone.
UPDATE runs SET settings = json_set(settings, '$.rates', json((
  SELECT json_group_object(m.key, json_object('price', json(m.value -> '$.price'), 'maxOutputTokens', m.value ->> '$.params.maxOutputTokens'))
  FROM json_each(manifest, '$.models') m)))
WHERE settings -> '$.rates' = '{}';
UPDATE calls SET worst_tokens = (
  SELECT s.input_tokens + coalesce((
    SELECT m.value ->> '$.maxOutputTokens' FROM json_each(r.settings, '$.rates') m WHERE m.key = j.model), 1024)
  FROM steps s JOIN jobs j ON j.run_id = s.run_id AND j.job_id = s.job_id JOIN runs r ON r.run_id = s.run_id
  WHERE s.step_id = calls.step_id)
WHERE state IN ('reserved', 'sent', 'unknown');
-- A reset of the group leaves these out: their true cost may still come.
CREATE INDEX calls_estimated ON calls (budget_group) WHERE estimated = 1 AND budget_group IS NOT NULL;

-- The server does not know this model of the run, or it cannot do what the run asks of it: its steps are parked until a person acts.
CREATE TABLE paused_models (
  run_id TEXT NOT NULL REFERENCES runs,
  model TEXT NOT NULL,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (run_id, model)
) STRICT, WITHOUT ROWID;

-- Beginnings of prompts that a lane's server may have in its cache. warming_token: the call that brings it there.
CREATE TABLE prefixes (
  lane_id TEXT NOT NULL REFERENCES lanes,
  prefix TEXT NOT NULL,
  warming_token TEXT,
  warmed_at_ms INTEGER,
  PRIMARY KEY (lane_id, prefix)
) STRICT, WITHOUT ROWID;
CREATE INDEX prefixes_warming ON prefixes (lane_id) WHERE warming_token IS NOT NULL;
CREATE INDEX prefixes_by_age ON prefixes (lane_id, warmed_at_ms);

-- failures: jobs that were asked and failed, as often as they did; failures_before: those before a person last started the run.
CREATE TABLE run_progress (
  run_id TEXT PRIMARY KEY REFERENCES runs,
  active_ms INTEGER NOT NULL DEFAULT 0 CHECK (active_ms >= 0),
  seen_at_ms INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  failures_before INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO run_progress (run_id) SELECT run_id FROM runs;
CREATE TRIGGER progress_of_new_run AFTER INSERT ON runs BEGIN
  INSERT INTO run_progress (run_id) VALUES (new.run_id);
END;
CREATE TRIGGER progress_job_failed AFTER UPDATE OF state ON jobs WHEN new.state = 'failed' AND old.state <> 'failed' BEGIN
  UPDATE run_progress SET failures = failures + 1 WHERE run_id = new.run_id;
END;

UPDATE runs SET
  settings = json_set(settings, '$.retry.maxWaitMs', 120000, '$.budget', json('null'), '$.failFast', json('null')),
  manifest = json_set(manifest, '$.retry.maxWaitMs', 120000, '$.budget', json('null'), '$.sample', json('null'), '$.failFast', json('null'),
    '$.providers', json((
      SELECT json_group_object(p.key, json_set(p.value,
        '$.requestsPerMinute', json('null'), '$.tokensPerMinute', json('null'), '$.tokenAccounting', 'reserved'))
      FROM json_each(manifest, '$.providers') p)),
    '$.models', json((
      SELECT json_group_object(m.key, json_set(m.value, '$.group', json('null'))) FROM json_each(manifest, '$.models') m)));

-- reserved_tokens: of calls whose tokens nobody knows yet. assumed_nano_usd: the same of money, of calls that are settled.
ALTER TABLE run_totals ADD COLUMN reserved_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN assumed_nano_usd INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN streamed_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN first_token_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN streamed_output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_totals ADD COLUMN generating_ms INTEGER NOT NULL DEFAULT 0;
UPDATE run_totals SET (reserved_tokens, assumed_nano_usd) = (
  SELECT coalesce(sum(${unknownTokens('c')}), 0), coalesce(sum(${assumedCost('c')}), 0)
  FROM jobs j JOIN calls c ON c.run_id = j.run_id AND c.job_id = j.job_id
  WHERE j.run_id = run_totals.run_id AND j.task = run_totals.task AND j.model = run_totals.model);

DROP TRIGGER totals_call_added;
CREATE TRIGGER totals_call_added AFTER INSERT ON calls BEGIN
  UPDATE run_totals SET
    reserved_nano_usd = reserved_nano_usd + coalesce(new.worst_nano_usd, 0),
    reserved_tokens = reserved_tokens + coalesce(new.worst_tokens, 0)
  WHERE (run_id, task, model) = (SELECT run_id, task, model FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id);
END;

-- Beside totals_call_moved, which keeps the sums of before.
CREATE TRIGGER totals_call_paced AFTER UPDATE ON calls BEGIN
  UPDATE run_totals SET
    reserved_tokens = reserved_tokens + ${change(unknownTokens)},
    assumed_nano_usd = assumed_nano_usd + ${change(assumedCost)},
    streamed_calls = streamed_calls + ${change((call) => ofStreamed(call, '1'))},
    first_token_ms = first_token_ms + ${change((call) => ofStreamed(call, `${call}.first_token_ms`))},
    streamed_output_tokens = streamed_output_tokens + ${change((call) => ofStreamed(call, `${call}.output`))},
    generating_ms = generating_ms + ${change((call) => ofStreamed(call, `max(0, ${call}.latency_ms - ${call}.first_token_ms)`))}
  WHERE (run_id, task, model) = (SELECT run_id, task, model FROM jobs WHERE run_id = new.run_id AND job_id = new.job_id);
END;

-- What groups of runs spent, by the month in which their calls were reserved. Runs that are removed leave it as it is.
CREATE TABLE group_totals (
  group_name TEXT NOT NULL,
  month TEXT NOT NULL,
  spent_nano_usd INTEGER NOT NULL DEFAULT 0 CHECK (spent_nano_usd >= 0),
  reserved_nano_usd INTEGER NOT NULL DEFAULT 0 CHECK (reserved_nano_usd >= 0),
  uncertain_nano_usd INTEGER NOT NULL DEFAULT 0 CHECK (uncertain_nano_usd >= 0),
  PRIMARY KEY (group_name, month)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER group_call_added AFTER INSERT ON calls WHEN new.budget_group IS NOT NULL BEGIN
  INSERT INTO group_totals (group_name, month) VALUES (new.budget_group, new.budget_month) ON CONFLICT DO NOTHING;
  UPDATE group_totals SET reserved_nano_usd = reserved_nano_usd + coalesce(new.worst_nano_usd, 0)
  WHERE group_name = new.budget_group AND month = new.budget_month;
END;
CREATE TRIGGER group_call_moved AFTER UPDATE OF state, cost_nano_usd, worst_nano_usd ON calls WHEN new.budget_group IS NOT NULL BEGIN
  UPDATE group_totals SET
    spent_nano_usd = spent_nano_usd + ${change(spentCost)},
    reserved_nano_usd = reserved_nano_usd + ${change((call) => worstCostIn(call, OPEN_CALL))},
    uncertain_nano_usd = uncertain_nano_usd + ${change((call) => worstCostIn(call, `'unknown'`))}
  WHERE group_name = new.budget_group AND month = new.budget_month;
END;
-- Nobody can settle the call any more: what it may have cost stands as spent, so that a reset reaches it.
CREATE TRIGGER group_call_removed AFTER DELETE ON calls
WHEN old.budget_group IS NOT NULL AND old.state IN ('reserved', 'sent', 'unknown') BEGIN
  UPDATE group_totals SET
    spent_nano_usd = spent_nano_usd + ${worstCostIn('old', `'sent', 'unknown'`)},
    reserved_nano_usd = reserved_nano_usd - ${worstCostIn('old', OPEN_CALL)},
    uncertain_nano_usd = uncertain_nano_usd - ${worstCostIn('old', `'unknown'`)}
  WHERE group_name = old.budget_group AND month = old.budget_month;
END;
`;
