import type { Json } from '../../../domain/canonical-json.ts';
import type { Part } from '../../../domain/part.ts';
import type { KeyFact, RelatedAnswer, RelatedQuestion } from '../../key-facts.ts';
import { ALIKE_LOOKED_AT, type FactColumns, keyFactOf, type RelatedColumns, relatedAnswerOf } from '../../related-answers.ts';
import { fromJson, fromNullableJson, type Sql } from '../sql.ts';

const ANSWER_COLUMNS = `
r.run_id AS runId, r.job_id AS jobId, r.imported, c.stored_at_ms AS storedAtMs,
  coalesce((SELECT p.cost_nano_usd FROM calls p WHERE p.call_token = c.call_token), r.cost_nano_usd) AS costNanoUsd`;

const SELECT_FACTS = `
SELECT k.value AS key, ${ANSWER_COLUMNS}, b.reason, b.message, o.run_id AS badRunId, o.job_id AS badJobId
FROM (SELECT DISTINCT value FROM json_each(:keys)) k
LEFT JOIN cache c ON c.key = k.value LEFT JOIN responses r ON r.call_token = c.call_token
LEFT JOIN known_bad b ON b.key = k.value LEFT JOIN responses o ON o.call_token = b.call_token`;

type FactRow = Omit<FactColumns, 'imported'> & { readonly imported: 0 | 1 | null };

/** What is stored of each of the keys. */
export function keyFacts(sql: Sql, keys: readonly string[]): ReadonlyMap<string, KeyFact> {
  const rows = sql.all<FactRow>(SELECT_FACTS, { keys: JSON.stringify(keys) });
  return new Map(rows.map((row) => [row.key, keyFactOf({ ...row, imported: row.imported === 1 })]));
}

/** A status of many runs stays quick; who asks wants to know of the last ones. */
const RUNS_LOOKED_AT = 50;
const ENTRIES_LOOKED_AT = 20_000;

const RELATED_COLUMNS = `c.key, k.record AS keyRecord, ${ANSWER_COLUMNS}`;

// The order of the joins is that of the indexes: jobs_of_document, then steps_of_job.
const SELECT_BY_NAME = `
SELECT ${RELATED_COLUMNS}, i.input -> '$.part' AS part,
  json_object('documentId', j.document_id, 'model', j.model, 'repeat', j.repeat, 'textSha256', j.text_sha256) AS job
FROM (SELECT run_id, created_at_ms FROM runs WHERE pruned_at_ms IS NULL ORDER BY created_at_ms DESC LIMIT ${RUNS_LOOKED_AT}) n
CROSS JOIN jobs j ON j.run_id = n.run_id AND j.seq IN (
  SELECT a.seq FROM jobs a WHERE a.run_id = n.run_id AND a.document_id = :documentId AND a.task = :task ORDER BY a.seq LIMIT ${ALIKE_LOOKED_AT})
CROSS JOIN steps s ON s.run_id = j.run_id AND s.job_id = j.job_id AND s.kind IN ('answer', 'chunk')
CROSS JOIN cache c ON c.key = s.key
CROSS JOIN responses r ON r.call_token = c.call_token
CROSS JOIN key_records k ON k.key = c.key
LEFT JOIN step_inputs i ON i.step_id = s.step_id
ORDER BY n.created_at_ms DESC, j.seq, s.step_index LIMIT :limit`;

// Of imported answers nothing else is known.
const SELECT_BY_PROMPT = `
SELECT ${RELATED_COLUMNS}, NULL AS part, NULL AS job
FROM (SELECT key, call_token, stored_at_ms FROM cache LIMIT ${ENTRIES_LOOKED_AT}) c
CROSS JOIN key_records k ON k.key = c.key AND k.record ->> '$.promptSha256' = :promptSha256
CROSS JOIN responses r ON r.call_token = c.call_token
LIMIT :limit`;

type RelatedRow = Omit<RelatedColumns, 'imported' | 'keyRecord' | 'part' | 'job'> & {
  readonly imported: 0 | 1;
  readonly keyRecord: string;
  readonly part: string | null;
  readonly job: string | null;
};

/** Answered questions of the same document and task in the newest runs, newest first; where there are none, those of the same prompt. */
export function relatedAnswers(sql: Sql, { documentId, task, promptSha256, limit }: RelatedQuestion): readonly RelatedAnswer[] {
  const named = sql.all<RelatedRow>(SELECT_BY_NAME, { documentId, task, limit });
  const rows = named.length > 0 ? named : sql.all<RelatedRow>(SELECT_BY_PROMPT, { promptSha256, limit });
  return rows.map((row) =>
    relatedAnswerOf({
      ...row,
      imported: row.imported === 1,
      keyRecord: fromJson<Json>(row.keyRecord),
      job: fromNullableJson<NonNullable<RelatedAnswer['job']>>(row.job),
      part: fromNullableJson<Part>(row.part),
    }),
  );
}
