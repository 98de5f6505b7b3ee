import type { RunTotals } from '../../store/rows.ts';

const WINDOW_MS = 5 * 60_000;
/** An estimate from less than this is noise. */
const ENOUGH_MS = 60_000;
const ENOUGH_JOBS = 20;

/** Jobs of one model that were answered by a call, at a moment; cached ones say nothing about the speed. */
type Sample = { readonly atMs: number; readonly called: ReadonlyMap<string, number> };

export type Pace = {
  /** Called jobs per minute over the last five minutes; `null` while there is too little to say. */
  readonly jobsPerMinute: number | null;
  /** Until the slowest model is through; `null` until all have moved. */
  readonly etaSeconds: number | null;
  /** Until the slowest of those that have moved is through. */
  readonly etaAtLeastSeconds: number | null;
};

const UNKNOWN: Pace = { jobsPerMinute: null, etaSeconds: null, etaAtLeastSeconds: null };

/** Measures how fast a run goes, from its totals over time. `startedAtMs` is when no job had been called yet, where that is known. */
export class RateMeter {
  readonly #samples: Sample[] = [];

  constructor(startedAtMs: number | null = null) {
    if (startedAtMs !== null) this.#samples.push({ atMs: startedAtMs, called: new Map() });
  }

  add(atMs: number, totals: RunTotals): void {
    this.#samples.push({ atMs, called: new Map(totals.byModel.map((model) => [model.model, calledJobs(model)])) });
    while (this.#samples.length > 2 && (this.#samples[1]?.atMs ?? atMs) <= atMs - WINDOW_MS) this.#samples.shift();
  }

  /** The pace, given the totals that were added last. */
  pace(totals: RunTotals): Pace {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.atMs <= first.atMs) return UNKNOWN;
    const minutes = (last.atMs - first.atMs) / 60_000;
    const done = sum(last.called) - sum(first.called);
    if (done <= 0 || (done < ENOUGH_JOBS && last.atMs - first.atMs < ENOUGH_MS)) return UNKNOWN;
    return { jobsPerMinute: done / minutes, ...afterWait(slowest(totals, first, last), totals, last.atMs) };
  }
}

type Eta = Omit<Pace, 'jobsPerMinute'>;

/** While nothing runs and all that is open waits, the rest begins when that is over; where nobody knows when, the end is unknown. */
function afterWait(eta: Eta, { jobs, waiting }: RunTotals, nowMs: number): Eta {
  if (jobs.running > 0 || waiting.length === 0) return eta;
  const untils = waiting.flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs]));
  if (untils.length < waiting.length) return { etaSeconds: null, etaAtLeastSeconds: null };
  const seconds = Math.max(0, Math.round((Math.max(...untils) - nowMs) / 1000));
  const later = (value: number | null): number | null => (value === null ? null : value + seconds);
  return { etaSeconds: later(eta.etaSeconds), etaAtLeastSeconds: later(eta.etaAtLeastSeconds) };
}

function slowest(totals: RunTotals, first: Sample, last: Sample): Eta {
  const times: number[] = [];
  let areAllKnown = true;
  for (const { model, queued, running } of totals.byModel) {
    const open = queued + running;
    if (open === 0) continue;
    const done = (last.called.get(model) ?? 0) - (first.called.get(model) ?? 0);
    if (done > 0) times.push((open * (last.atMs - first.atMs)) / 1000 / done);
    else areAllKnown = false;
  }
  const seconds = Math.round(Math.max(0, ...times));
  return { etaSeconds: areAllKnown ? seconds : null, etaAtLeastSeconds: times.length === 0 && !areAllKnown ? null : seconds };
}

/** Jobs of a model that ended and were asked for: not those from the cache. */
export function calledJobs(model: RunTotals['byModel'][number]): number {
  return Math.max(0, model.total - model.queued - model.running - model.cancelled - model.cached);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
