import type { StepInput } from '../../../domain/part.ts';
import { badAnswer, type KnownBad } from '../../known-bad.ts';
import type { NewStep } from '../../plan-rows.ts';
import { flightKeyOf, type RunFacts } from '../../run-facts.ts';
import type { Tx } from '../transactor.ts';
import { type Answers, findAnswers, isFree, type Question } from './answers.ts';

/** What is known of a question before it is asked. */
export type Prospect = { readonly answers: Answers; readonly bad: KnownBad | null; readonly notBeforeMs: number };

const SELECT_KNOWN = `
SELECT f.failed AS failed_here, f.reason AS reason_here, f.message AS message_here, coalesce(f.not_before_ms, 0) AS not_before_ms,
  b.reason AS known_reason, b.message AS known_message
FROM unnest(:keys::text[]) WITH ORDINALITY AS q (key, place)
  LEFT JOIN keys f ON f.run_id = :runId AND f.key = q.key LEFT JOIN known_bad b ON b.key = q.key
ORDER BY q.place`;

type KnownRow = {
  readonly failedHere: boolean | null;
  readonly reasonHere: KnownBad['reason'] | null;
  readonly messageHere: string | null;
  readonly notBeforeMs: number;
  readonly knownReason: KnownBad['reason'] | null;
  readonly knownMessage: string | null;
};

/** What the run has learnt of each question, or an earlier run of its answer; in their order. */
export async function prospectsOf(tx: Tx, run: RunFacts, questions: readonly Question[]): Promise<readonly Prospect[]> {
  const [answers, known] = await Promise.all([
    findAnswers(tx, run, questions),
    tx.sql.all<KnownRow>(SELECT_KNOWN, { runId: run.runId, keys: questions.map(({ key }) => key) }),
  ]);
  return known.map((row, at) => prospectOf(run, row, answers[at] ?? { hit: null, unjudged: null }));
}

function prospectOf({ settings }: RunFacts, row: KnownRow, answers: Answers): Prospect {
  const failedHere = row.failedHere === true ? said(row.reasonHere, row.messageHere) : null;
  const knownBad = said(row.knownReason, row.knownMessage);
  return {
    answers,
    bad: badAnswer(settings.cacheMode, { failedHere, knownBad, hasHit: answers.hit !== null }),
    notBeforeMs: row.notBeforeMs,
  };
}

function said(reason: KnownBad['reason'] | null, message: string | null): KnownBad | null {
  return reason === null ? null : { reason, message: message ?? '' };
}

/** Of which job a new step is, where it stands in the queue, and how new its answer must be (`null`: any that the run allows). */
type StepPlace = {
  readonly jobId: string;
  readonly orderMs: number;
  readonly seq: number;
  readonly freshAfterMs: number | null;
  /** Tags that its call needs, as one text. */
  readonly requires: string;
};

/** A call step to insert; `failed`: its answer is known to be bad. */
export type PlacedStep = StepPlace & NewStep & { readonly state: 'queued' | 'failed' | 'cancelled'; readonly prospect: Prospect };

// In the order of the keys, so that two runs that plan the same questions do not wait for each other in a circle.
const INSERT_KEY_RECORDS = `
INSERT INTO key_records (key, record, endpoint, model, namespace, prompt_sha256)
SELECT key, record, endpoint, model, namespace, prompt_sha256
FROM unnest(:keys::text[], :records::json[], :endpoints::text[], :models::text[], :namespaces::text[], :prompts::text[])
  AS k (key, record, endpoint, model, namespace, prompt_sha256)
ORDER BY key ON CONFLICT DO NOTHING`;

const INSERT_STEPS = `
WITH placed AS MATERIALIZED (
  SELECT * FROM unnest(:jobIds::text[], :kinds::text[], :indexes::int[], :keys::text[], :flightKeys::text[], :laneIds::text[],
    :inputTokens::bigint[], :maxInputTokens::bigint[], :prefixes::text[], :states::text[], :gates::text[], :ordersMs::bigint[], :seqs::int[],
    :runsAtMs::bigint[], :parked::boolean[], :outcomes::text[], :freshAfter::bigint[], :requires::text[], :inputs::json[], :inputKinds::text[])
    WITH ORDINALITY AS p (job_id, kind, step_index, key, flight_key, lane_id, input_tokens, max_input_tokens, prefix, state, gate, order_ms, seq,
      run_at_ms, parked, outcome, fresh_after_ms, requires, input, input_kind, place)),
added AS (
  INSERT INTO steps (run_id, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, max_input_tokens, prefix, state, gate, order_ms,
    seq, run_at_ms, parked, outcome, fresh_after_ms, requires)
  SELECT :runId, job_id, kind, step_index, key, flight_key, lane_id, input_tokens, max_input_tokens, prefix, state, gate, order_ms, seq, run_at_ms,
    parked, outcome, fresh_after_ms, requires
  FROM placed ORDER BY place RETURNING step_id, job_id, kind, step_index)
INSERT INTO step_inputs (step_id, input, input_kind)
SELECT a.step_id, p.input, p.input_kind FROM added a JOIN placed p USING (job_id, kind, step_index) WHERE p.input_kind IS NOT NULL`;

/** Inserts call steps with what they ask, in their order. */
export function insertSteps(tx: Tx, run: RunFacts, steps: readonly PlacedStep[]): void {
  if (steps.length === 0) return;
  addKeyRecords(tx, steps);
  const column = <Value>(of: (step: PlacedStep) => Value): readonly Value[] => steps.map(of);
  const runAtMs = ({ prospect }: PlacedStep) => Math.max(tx.nowMs, prospect.notBeforeMs);
  const free = ({ prospect }: PlacedStep) => isFree(prospect.answers);
  tx.sql.send(INSERT_STEPS, {
    runId: run.runId,
    jobIds: column(({ jobId }) => jobId),
    kinds: column(({ kind }) => kind),
    indexes: column(({ index }) => index),
    keys: column(({ key }) => key),
    flightKeys: column(({ key }) => flightKeyOf(run, key)),
    laneIds: column(({ laneId }) => laneId),
    inputTokens: column(({ inputTokens }) => inputTokens),
    maxInputTokens: column(({ maxInputTokens }) => maxInputTokens),
    prefixes: column(({ prefix }) => prefix),
    states: column(({ state }) => state),
    gates: column((step) => (step.state !== 'queued' || free(step) ? null : step.laneId)),
    ordersMs: column(({ orderMs }) => orderMs),
    seqs: column(({ seq }) => seq),
    runsAtMs: column(runAtMs),
    parked: column((step) => step.state === 'queued' && !free(step) && runAtMs(step) > tx.nowMs),
    outcomes: column(({ state }) => (state === 'failed' ? 'known_bad' : null)),
    freshAfter: column(({ freshAfterMs }) => freshAfterMs),
    requires: column(({ requires }) => requires),
    inputs: column(({ input }) => inputText(input)),
    inputKinds: column(({ input }) => input?.kind ?? null),
  });
}

function inputText(input: StepInput | null): string | null {
  return input === null ? null : JSON.stringify(input);
}

/** The parts of the keys; one that is there is left alone. */
export function addKeyRecords(tx: Tx, steps: readonly Pick<NewStep, 'key' | 'keyRecord'>[]): void {
  const records = [...new Map(steps.map(({ key, keyRecord }) => [key, keyRecord]))];
  const field = (name: string) => records.map(([, record]) => textOf(record, name));
  tx.sql.send(INSERT_KEY_RECORDS, {
    keys: records.map(([key]) => key),
    records: records.map(([, record]) => JSON.stringify(record)),
    endpoints: field('endpoint'),
    models: field('model'),
    namespaces: field('namespace'),
    prompts: field('promptSha256'),
  });
}

/** A field of a key's record, where that has it. */
function textOf(record: NewStep['keyRecord'], name: string): string | null {
  if (typeof record !== 'object' || record === null || Array.isArray(record) || !Object.hasOwn(record, name)) return null;
  const value: unknown = Reflect.get(record, name);
  return typeof value === 'string' ? value : null;
}
