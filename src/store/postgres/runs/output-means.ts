import type { OutputMean } from '../../rows.ts';
import type { Sql } from '../sql.ts';

const SELECT_MEANS = `
SELECT j.task, k.model, coalesce(k.endpoint, '') AS endpoint, avg(c.output) AS tokens, avg(c.latency_ms) AS latency_ms, count(*) AS calls
FROM calls c
  JOIN jobs j ON j.run_id = c.run_id AND j.job_id = c.job_id
  JOIN steps s ON s.step_id = c.step_id
  JOIN key_records k ON k.key = s.key
WHERE c.state = 'settled' AND c.output IS NOT NULL AND k.model IS NOT NULL
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;

/** How long answers were and took, by task and by the model's name at its endpoint, over all runs that are kept. */
export function outputMeans(sql: Sql): Promise<readonly OutputMean[]> {
  return sql.all<OutputMean>(SELECT_MEANS);
}
