import { type Attempt, type Evidence, type Ledger, type LedgerRow, readAttempts, readLedger } from './evidence.ts';
import type { Disturbance } from './fleet.ts';
import type { BilledCall } from './oracle.ts';
import { story } from './story.ts';
import { CONCURRENCY } from './work.ts';

/** What was paid, and whether it had to be. */
export type Payments = {
  readonly violations: readonly string[];
  /** Answers paid for beyond the one that each question needs. */
  readonly repeats: number;
  /** Those of processes that nothing was done to, excused because another was frozen inside a transaction, or all stood still. */
  readonly repeatsOfOthers: number;
};

export async function judgePayments(evidence: Evidence): Promise<Payments> {
  const ledger = await readLedger(evidence.rows);
  const { violations, ...repeats } = judgeRepeats(evidence, { ledger, attempts: await readAttempts(evidence.rows) });
  return { violations: [...violations, ...wrongLedger(evidence.calls, ledger), ...tooManyAtOnce(evidence.calls, ledger)], ...repeats };
}

/** 100 tokens in at 1 USD, and 10 out at 2 USD, for a million. */
const COST_NANO_USD = 120_000;

/** Every billed call has its row, which says that it was sent; what it cost is right where it is known. */
function wrongLedger(calls: readonly BilledCall[], ledger: Ledger): string[] {
  const wrong: string[] = [];
  const billed = new Map(calls.map((call) => [call.token, call]));
  if (billed.size !== calls.length) wrong.push('two calls came under one token');
  for (const call of calls) {
    const row = ledger.get(call.token);
    if (row === undefined) wrong.push(`call ${call.token} of ${call.worker} is not in the ledger`);
    else if (row.state !== 'settled' && row.state !== 'unknown')
      wrong.push(`call ${call.token} (${call.outcome}) is ${row.state} in the ledger`);
  }
  for (const { token, state, output, costNanoUsd, recordedAtMs } of ledger.values()) {
    if (state !== 'settled') continue;
    const outcome = billed.get(token)?.outcome;
    const whole = outcome === 'good' || outcome === 'invalid';
    if (whole && (output !== 10 || costNanoUsd !== COST_NANO_USD || recordedAtMs === null))
      wrong.push(`call ${token} is settled without its cost`);
    if (!whole && costNanoUsd !== 0) wrong.push(`call ${token} (${outcome}) is settled at ${costNanoUsd}`);
  }
  return wrong;
}

/**
 * One answer of each sort serves a question, in all runs. Every further one must have been in flight when its process was killed,
 * told twice to stop, or frozen for longer than a lease: not yet stored then.
 */
function judgeRepeats(evidence: Evidence, known: { readonly ledger: Ledger; readonly attempts: readonly Attempt[] }): Payments {
  const { ledger } = known;
  const violations: string[] = [];
  let repeats = 0;
  let repeatsOfOthers = 0;
  const own = evidence.disturbances.filter(({ worker }) => worker !== null);
  for (const [name, calls] of bySort(evidence.calls, ledger)) {
    const withoutExcuse = (disturbances: readonly Disturbance[]): number =>
      calls.filter((call) => !isExcused(call, ledger.get(call.token), disturbances)).length;
    const needed = needOf(calls[0], ledger, evidence);
    repeats += Math.max(0, calls.length - needed);
    repeatsOfOthers += Math.max(0, withoutExcuse(own) - needed);
    if (withoutExcuse(evidence.disturbances) > needed) {
      violations.push(`${name} was paid ${calls.length} times:\n${story(calls, known, evidence)}`);
    }
  }
  return { violations, repeats, repeatsOfOthers };
}

/**
 * Whole answers only: what failed on its way explains one more call by itself. A valid first answer serves all runs; an invalid one,
 * and the re-ask that mends it, belong to their run.
 */
function bySort(calls: readonly BilledCall[], ledger: Ledger): Map<string, BilledCall[]> {
  const sorts = new Map<string, BilledCall[]>();
  for (const call of calls) {
    const { question, reask, outcome, token } = call;
    if (outcome !== 'good' && outcome !== 'invalid') continue;
    const run = reask || outcome === 'invalid' ? ` in ${ledger.get(token)?.runId}` : '';
    const sort = `${question.name} (${question.kind}${reask ? ', asked again' : ''})${run}`;
    sorts.set(sort, [...(sorts.get(sort) ?? []), call]);
  }
  return sorts;
}

/** Each `retry` asks afresh what never gets a valid answer. */
function needOf(call: BilledCall | undefined, ledger: Ledger, { retries }: Evidence): number {
  if (call?.question.kind !== 'never') return 1;
  return 1 + (retries.get(ledger.get(call.token)?.runId ?? '') ?? 0);
}

function isExcused(call: BilledCall, row: LedgerRow | undefined, disturbances: readonly Disturbance[]): boolean {
  const recordedAtMs = row?.recordedAtMs ?? null;
  // Frozen between its mark and its first byte, a call arrives only after the freeze.
  const begunAtMs = Math.min(call.arrivedAtMs, row?.sentAtMs ?? call.arrivedAtMs);
  return disturbances.some(({ worker, kind, fromMs, untilMs }) => {
    if (worker !== null && worker !== call.worker) return false;
    if (kind === 'nap') return false;
    // What it kept on its disk is stored by the next one, maybe after somebody asked again.
    if (kind === 'kill' || kind === 'second' || kind === 'grace') return recordedAtMs === null || recordedAtMs > untilMs;
    return begunAtMs <= untilMs && (recordedAtMs === null || recordedAtMs >= fromMs);
  });
}

/** A death costs at most what the process had in flight. */
function tooManyAtOnce(calls: readonly BilledCall[], ledger: Ledger): string[] {
  const lost = new Map<string, number>();
  for (const { worker, outcome, token } of calls) {
    const unstored = (outcome === 'good' || outcome === 'invalid') && (ledger.get(token)?.recordedAtMs ?? null) === null;
    if (unstored) lost.set(worker, (lost.get(worker) ?? 0) + 1);
  }
  return [...lost]
    .filter(([, count]) => count > CONCURRENCY)
    .map(([worker, count]) => `${worker} lost ${count} answers, more than it can have in flight`);
}
