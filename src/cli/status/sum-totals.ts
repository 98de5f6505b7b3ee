import type { ModelTotals, RunTotals } from '../../store/rows.ts';

const JOBS = { total: 0, queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
const RESULTS = { total: 0, open: 0, pass: 0, fail: 0, review: 0, error: 0 };
const COST = { reservedNanoUsd: 0, uncertainNanoUsd: 0, unpricedCalls: 0, uncertainCalls: 0, uncertainUnpricedCalls: 0 };
const TOKENS = { input: 0, cachedInput: 0, output: 0 };
const COUNTS = { calls: 0, attempts: 0, cacheHits: 0, lostLeases: 0 };
const MODEL = {
  ...{ total: 0, queued: 0, running: 0, pass: 0, fail: 0, review: 0, error: 0, cancelled: 0, cached: 0 },
  ...{ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, parts: 0, openParts: 0, rateLimited: 0 },
};

/** The numbers of several runs as one, for the screen of a worker of all of them. Models of one name are one. */
export function sumTotals(all: readonly RunTotals[]): RunTotals {
  const costs = all.map(({ cost }) => cost);
  return {
    ...sum(COUNTS, all),
    jobs: sum(JOBS, of(all, 'jobs')),
    results: sum(RESULTS, of(all, 'results')),
    tokens: sum(TOKENS, of(all, 'tokens')),
    cost: { ...sum(COST, costs), spentNanoUsd: spent(costs) },
    // Each run has its own: several together have none.
    budget: all.length === 1 ? (all[0]?.budget ?? null) : null,
    happenedAtMs: largest(all.map(({ happenedAtMs }) => happenedAtMs)),
    byModel: sumModels(all.flatMap(({ byModel }) => byModel)),
    dlq: tally(all.flatMap(({ dlq }) => dlq)),
    retries: tally(all.flatMap(({ retries }) => retries)),
    waiting: all.flatMap(({ waiting }) => waiting),
    inFlight: sum({ calls: 0, nanoUsd: 0 }, of(all, 'inFlight')),
  };
}

function of<Name extends keyof RunTotals>(all: readonly RunTotals[], name: Name): RunTotals[Name][] {
  return all.map((totals) => totals[name]);
}

/** The fields of `zero`, added up. */
function sum<Name extends string>(
  zero: Readonly<Record<Name, number>>,
  rows: readonly Readonly<Record<NoInfer<Name>, number>>[],
): Record<Name, number> {
  const result: Record<Name, number> = { ...zero };
  for (const row of rows) for (const name in zero) result[name] += row[name];
  return result;
}

/** `null` when calls were paid and no price is known. */
function spent(rows: readonly { readonly spentNanoUsd: number | null }[]): number | null {
  const known = rows.flatMap(({ spentNanoUsd }) => (spentNanoUsd === null ? [] : [spentNanoUsd]));
  return known.length === 0 && rows.length > 0 ? null : known.reduce((total, each) => total + each, 0);
}

/** Those of one name as one. */
export function sumModels(rows: readonly ModelTotals[]): readonly ModelTotals[] {
  return [...new Set(rows.map(({ model }) => model))].map((model) => {
    const own = rows.filter((row) => row.model === model);
    const speed = { firstTokenMs: mean(own, 'firstTokenMs'), tokensPerSecond: mean(own, 'tokensPerSecond') };
    // Of two medians nobody knows the common one: that of the slower stands for both.
    const latencies = { p50Ms: largest(own.map(({ p50Ms }) => p50Ms)), p95Ms: largest(own.map(({ p95Ms }) => p95Ms)) };
    return { ...sum(MODEL, own), ...speed, ...latencies, model, spentNanoUsd: spent(own) };
  });
}

function largest(values: readonly (number | null)[]): number | null {
  return values.reduce((most, value) => (value === null ? most : Math.max(most ?? 0, value)), null);
}

/** By how much each row's model said; `null` where nothing is known. */
function mean(rows: readonly ModelTotals[], name: 'firstTokenMs' | 'tokensPerSecond'): number | null {
  let [total, weight] = [0, 0];
  for (const row of rows) {
    const value = row[name];
    if (value === null) continue;
    total += value * row.outputTokens;
    weight += row.outputTokens;
  }
  return weight === 0 ? null : total / weight;
}

function tally<Reason>(rows: readonly { readonly reason: Reason; readonly count: number }[]): { reason: Reason; count: number }[] {
  const counts = new Map<Reason, number>();
  for (const { reason, count } of rows) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts].map(([reason, count]) => ({ reason, count }));
}
