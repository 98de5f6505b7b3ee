import type { OpenCalls } from '../../rows.ts';
import type { Sql } from '../sql.ts';

const SELECT_OPEN_CALLS = `
SELECT j.model, count(*) AS calls, sum(s.max_input_tokens) AS maxInputTokens, max(s.max_input_tokens) AS largestInputTokens
FROM steps s JOIN jobs j ON j.run_id = s.run_id AND j.job_id = s.job_id
WHERE s.run_id = :runId AND s.state = 'queued' AND s.gate IS NOT NULL
GROUP BY j.model ORDER BY j.model`;

/** What of a run is queued and needs a call, by model. Reads all of it: for a run that has stopped. */
export function openCalls(sql: Sql, runId: string): readonly OpenCalls[] {
  return sql.all<OpenCalls>(SELECT_OPEN_CALLS, { runId });
}
