import type { StepInput } from '../../../domain/part.ts';
import type { KeyFact, RelatedAnswer, RelatedQuestion } from '../../key-facts.ts';
import { ALIKE_LOOKED_AT, type FactColumns, keyFactOf, type RelatedColumns, relatedAnswerOf } from '../../related-answers.ts';
import type { Sql } from '../sql.ts';

const ANSWER_COLUMNS = `
r.run_id, r.job_id, r.imported, c.stored_at_ms,
  coalesce((SELECT p.cost_nano_usd FROM calls p WHERE p.call_token = c.call_token), r.cost_nano_usd) AS cost_nano_usd`;

const SELECT_FACTS = `
SELECT k.key, ${ANSWER_COLUMNS}, b.reason, b.message, o.run_id AS bad_run_id, o.job_id AS bad_job_id
FROM (SELECT DISTINCT unnest(:keys::text[]) AS key) k
LEFT JOIN cache c ON c.key = k.key LEFT JOIN responses r ON r.call_token = c.call_token
LEFT JOIN known_bad b ON b.key = k.key LEFT JOIN responses o ON o.call_token = b.call_token`;

/** What is stored of each of the keys. */
export async function keyFacts(sql: Sql, keys: readonly string[]): Promise<ReadonlyMap<string, KeyFact>> {
  return new Map((await sql.all<FactColumns>(SELECT_FACTS, { keys })).map((row) => [row.key, keyFactOf(row)]));
}

/** A status of many runs stays quick; who asks wants to know of the last ones. */
const RUNS_LOOKED_AT = 50;

export const SELECT_BY_NAME = `
WITH newest AS MATERIALIZED (
  SELECT run_id, created_at_ms, position FROM runs WHERE pruned_at_ms IS NULL ORDER BY created_at_ms DESC, position DESC LIMIT ${RUNS_LOOKED_AT}),
asked AS MATERIALIZED (
  SELECT n.created_at_ms, n.position, j.seq, j.document_id, j.model, j.repeat, j.text_sha256, s.step_index, s.step_id, s.key
  FROM newest n
  JOIN LATERAL (
    SELECT * FROM jobs WHERE run_id = n.run_id AND task = :task AND document_id = :documentId ORDER BY seq LIMIT ${ALIKE_LOOKED_AT}) j ON true
  JOIN LATERAL (SELECT * FROM steps WHERE run_id = j.run_id AND job_id = j.job_id AND kind IN ('answer', 'chunk') OFFSET 0) s ON true)
SELECT c.key, k.record AS key_record, ${ANSWER_COLUMNS}, a.document_id, a.model, a.repeat, a.text_sha256,
  CASE WHEN i.input_kind = 'part' THEN i.input END AS input
FROM asked a JOIN cache c ON c.key = a.key JOIN responses r ON r.call_token = c.call_token JOIN key_records k ON k.key = c.key
LEFT JOIN step_inputs i ON i.step_id = a.step_id
ORDER BY a.created_at_ms DESC, a.position DESC, a.seq, a.step_index LIMIT :limit`;

// Of imported answers nothing else is known.
const SELECT_BY_PROMPT = `
SELECT c.key, k.record AS key_record, ${ANSWER_COLUMNS}, NULL AS document_id, NULL AS model, NULL AS repeat, NULL AS text_sha256, NULL AS input
FROM key_records k JOIN cache c ON c.key = k.key JOIN responses r ON r.call_token = c.call_token
WHERE k.prompt_sha256 = :promptSha256
LIMIT :limit`;

type Row = Omit<RelatedColumns, 'part' | 'job'> & {
  readonly documentId: string | null;
  readonly model: string;
  readonly repeat: number;
  readonly textSha256: string | null;
  readonly input: StepInput | null;
};

/** Answered questions of the same document and task in the newest runs, newest first; where there are none, those of the same prompt. */
export async function relatedAnswers(sql: Sql, question: RelatedQuestion): Promise<readonly RelatedAnswer[]> {
  const { documentId, task, promptSha256, limit } = question;
  const named = await sql.all<Row>(SELECT_BY_NAME, { documentId, task, limit });
  const rows = named.length > 0 ? named : await sql.all<Row>(SELECT_BY_PROMPT, { promptSha256, limit });
  return rows.map(({ documentId, model, repeat, textSha256, input, ...row }) =>
    relatedAnswerOf({
      ...row,
      part: input?.kind === 'part' ? input.part : null,
      job: documentId === null ? null : { documentId, model, repeat, textSha256 },
    }),
  );
}
