import type { OpenCall, OpenCalls } from '../../rows.ts';
import type { Sql } from '../sql.ts';

// A reduce without its call was left when its job was asked afresh; one that was superseded by a re-ask has that of its first answer.
const OPEN = `
WITH open_calls (job_id, seq, step_id, task, model, key, input_tokens, max_input_tokens, answers) AS (
  SELECT j.job_id, j.seq, s.step_id, j.task, j.model, s.key, s.input_tokens, s.max_input_tokens, 0
  FROM steps s JOIN jobs j ON j.run_id = s.run_id AND j.job_id = s.job_id
  WHERE s.run_id = :runId AND s.state = 'queued' AND s.gate IS NOT NULL
  UNION ALL
  SELECT j.job_id, j.seq, NULL, j.task, j.model, NULL, (l.value ->> 'inputTokens')::bigint, (l.value ->> 'maxInputTokens')::bigint,
    (l.value ->> 'answers')::int
  FROM jobs j JOIN job_plans p ON p.run_id = j.run_id AND p.job_id = j.job_id CROSS JOIN json_array_elements(p.later) AS l (value)
  WHERE j.run_id = :runId AND j.ended_at_ms IS NULL AND NOT EXISTS (
    SELECT 1 FROM steps s
    WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.kind = 'reduce'
      AND (s.outcome IS DISTINCT FROM 'superseded' OR s.call_token IS NOT NULL)))`;

const BY_MODEL = `${OPEN}
SELECT model, count(*) AS calls, sum(max_input_tokens) AS max_input_tokens, max(max_input_tokens) AS largest_input_tokens
FROM open_calls GROUP BY model ORDER BY model`;

const EACH = `${OPEN}
SELECT job_id, task, model, key, input_tokens, max_input_tokens, answers FROM open_calls ORDER BY seq, step_id NULLS LAST`;

/** What of a run needs a call yet, by model: what is queued, and what will follow from it. Reads all of it: for a run that has stopped. */
export function openCalls(sql: Sql, runId: string): Promise<readonly OpenCalls[]> {
  return sql.all<OpenCalls>(BY_MODEL, { runId });
}

/** The same, each, in plan order. */
export function eachOpenCall(sql: Sql, runId: string): Promise<readonly OpenCall[]> {
  return sql.all<OpenCall>(EACH, { runId });
}
