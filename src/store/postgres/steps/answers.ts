import type { StepKind } from '../../../domain/step.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { View } from '../transactor.ts';

/** What a step wants answered. Only answers later than `freshAfterMs` count; `null`: all that the run allows. */
export type Question = { readonly key: string; readonly kind: StepKind; readonly freshAfterMs: number | null };

/** Calls whose answers are there: a valid one that may be taken, and a paid one that this run has not judged. */
export type Answers = { readonly hit: string | null; readonly unjudged: string | null };

// What the run itself paid for always counts. An imported answer may name any run as the one that paid for it.
const OWN_ANSWER = `
SELECT r.call_token FROM responses r
WHERE r.run_id = :runId AND r.key = q.key AND r.judgement = 'valid' AND NOT r.imported
  AND (q.fresh_after_ms IS NULL OR r.judged_at_ms > q.fresh_after_ms)
ORDER BY r.judged_at_ms DESC, r.position DESC LIMIT 1`;

const CACHED_ANSWER = `
SELECT c.call_token FROM cache c
WHERE c.key = q.key AND :usesCache::boolean AND c.stored_at_ms > coalesce(greatest(q.fresh_after_ms, :runFreshAfterMs::bigint), -1)
  AND (:ttlMs::bigint IS NULL OR c.stored_at_ms + :ttlMs > :nowMs::bigint)`;

// What another run took and rejected is judged here all the same: it is this run's own answer, and would be paid for again.
const OWN_UNJUDGED = `
SELECT r.call_token FROM responses r
WHERE r.run_id = :runId AND r.key = q.key AND r.step_kind = q.kind AND r.judgement IN ('none', 'invalid')
  AND (q.fresh_after_ms IS NULL OR r.recorded_at_ms > q.fresh_after_ms)
  AND (r.judgement = 'none' OR NOT EXISTS (
    SELECT 1 FROM attempts a
    WHERE a.run_id = r.run_id AND a.job_id = r.job_id AND a.call_token = r.call_token AND a.outcome NOT IN ('lost', 'handed_back')))
ORDER BY r.recorded_at_ms, r.position LIMIT 1`;

// Another run's response is left to the step that holds its call, and is taken under the rules of the cache. A re-ask is only served by a
// response to a re-ask, and that of its own run, because it mends one answer.
const OTHERS_UNJUDGED = `
SELECT r.call_token FROM responses r
WHERE r.key = q.key AND :usesCache AND r.judgement = 'none' AND r.step_kind = q.kind AND r.step_kind <> 'reask' AND r.run_id <> :runId
  AND r.recorded_at_ms > coalesce(greatest(q.fresh_after_ms, :runFreshAfterMs), -1)
  AND (:ttlMs IS NULL OR r.recorded_at_ms + :ttlMs > :nowMs)
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_token = r.call_token)
  AND (SELECT o.settings ->> 'cacheMode' FROM runs o WHERE o.run_id = r.run_id) IN ('read-write', 'refresh')
ORDER BY r.recorded_at_ms, r.position LIMIT 1`;

const SELECT_ANSWERS = `
SELECT coalesce((${OWN_ANSWER}), (${CACHED_ANSWER})) AS hit, coalesce((${OWN_UNJUDGED}), (${OTHERS_UNJUDGED})) AS unjudged
FROM unnest(:keys::text[], :kinds::text[], :freshAfter::bigint[]) WITH ORDINALITY AS q (key, kind, fresh_after_ms, place)
ORDER BY q.place`;

/** What is there for each of the questions, in their order. */
export async function findAnswers(view: View, run: RunFacts, questions: readonly Question[]): Promise<readonly Answers[]> {
  if (questions.length === 0) return [];
  return view.sql.all<Answers>(SELECT_ANSWERS, {
    runId: run.runId,
    usesCache: run.settings.cacheMode !== 'off',
    runFreshAfterMs: run.freshAfterMs,
    ttlMs: run.settings.cacheTtlMs,
    nowMs: view.nowMs,
    keys: questions.map(({ key }) => key),
    kinds: questions.map(({ kind }) => kind),
    freshAfter: questions.map(({ freshAfterMs }) => freshAfterMs),
  });
}

/** What is there for one question. */
export async function findAnswer(view: View, run: RunFacts, question: Question): Promise<Answers> {
  return (await findAnswers(view, run, [question]))[0] ?? { hit: null, unjudged: null };
}

/** Whether nothing need be called. */
export function isFree({ hit, unjudged }: Answers): boolean {
  return hit !== null || unjudged !== null;
}

export const ANSWERS_STATEMENTS: StoredTexts = { rows: { SELECT_ANSWERS } };
