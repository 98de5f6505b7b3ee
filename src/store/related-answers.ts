import type { Json } from '../domain/canonical-json.ts';
import type { Part } from '../domain/part.ts';
import type { Reason } from '../domain/reason.ts';
import type { KeyFact, RelatedAnswer, StoredAnswer } from './key-facts.ts';

/** Jobs of one run that ask the same of the same document, of all models and repeats: a run may have a hundred thousand, of few keys. */
export const ALIKE_LOOKED_AT = 100;

/** What a statement selects of a key: an answer or none, an error or none. */
export type FactColumns = {
  readonly key: string;
  readonly runId: string | null;
  readonly jobId: string | null;
  readonly imported: boolean | null;
  readonly storedAtMs: number | null;
  readonly costNanoUsd: number | null;
  readonly reason: Reason | null;
  readonly message: string | null;
  readonly badRunId: string | null;
  readonly badJobId: string | null;
};

export function keyFactOf(row: FactColumns): KeyFact {
  const { runId, jobId, imported, storedAtMs, costNanoUsd, reason, message } = row;
  const answered = runId !== null && jobId !== null && storedAtMs !== null;
  const isBad = reason !== null && message !== null;
  return {
    answer: answered ? { runId, jobId, imported: imported === true, storedAtMs, costNanoUsd } : null,
    bad: isBad ? { reason, message, runId: row.badRunId, jobId: row.badJobId } : null,
  };
}

/** What a statement selects of an answered question. */
export type RelatedColumns = StoredAnswer & {
  readonly key: string;
  readonly keyRecord: Json;
  readonly part: Part | null;
  readonly job: RelatedAnswer['job'];
};

export function relatedAnswerOf({
  runId,
  jobId,
  imported,
  storedAtMs,
  costNanoUsd,
  key,
  keyRecord,
  job,
  part,
}: RelatedColumns): RelatedAnswer {
  return { ...{ runId, jobId, imported, storedAtMs, costNanoUsd }, ...{ key, keyRecord, job, part } };
}
