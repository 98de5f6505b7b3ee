import type { EngineEvent } from '../../engine/events.ts';
import { sumModels, sumTotals } from '../status/sum-totals.ts';
import { type JobCounts, Progress, type RunNumbers, type Standing } from './progress.ts';
import type { Pace } from './rate.ts';

/** The runs that a process works on, each with a count of its own: what happens to one of them, also late, changes no other. */
export class AllProgress {
  readonly #runs = new Map<string, Progress>();
  /** Runs whose numbers the store has told. */
  readonly #told = new Set<string>();

  /** A run that is started, also once more, begins at nothing; what comes of a run that is over is late. */
  onEvent(event: EngineEvent): void {
    if (event.kind === 'run.started') this.#begin(event.runId);
    if ('runId' in event) this.#runs.get(event.runId)?.onEvent(event);
  }

  /** Takes the numbers of all of them: a run of which none are told any more is no longer worked on. */
  onTotals(all: readonly RunNumbers[], nowMs: number): void {
    for (const { runId, totals } of all) {
      const run = this.#runs.get(runId);
      if (run === undefined) continue;
      run.onTotals(totals, nowMs);
      this.#told.add(runId);
    }
    const ids = new Set(all.map(({ runId }) => runId));
    for (const runId of this.#told) if (!ids.has(runId)) this.end(runId);
  }

  end(runId: string): void {
    this.#runs.delete(runId);
    this.#told.delete(runId);
  }

  #begin(runId: string): void {
    this.#runs.set(runId, new Progress());
    this.#told.delete(runId);
  }

  /** Each of them, by its id. */
  get runs(): ReadonlyMap<string, Standing> {
    return this.#runs;
  }

  /** All of them as one. */
  get standing(): Standing {
    const [first, ...others] = this.#runs.values();
    if (first === undefined) return new Progress();
    return others.length === 0 ? first : together([first, ...others]);
  }
}

function together(all: readonly Progress[]): Standing {
  const totals = all.flatMap((each) => each.totals ?? []);
  const parts = all.flatMap((each) => each.parts ?? []);
  const planned = all.flatMap(({ plannedNanoUsd }) => plannedNanoUsd ?? []);
  return {
    counts: countsOf(all),
    parts: parts.length === 0 ? null : { done: sum(parts.map(({ done }) => done)), total: sum(parts.map(({ total }) => total)) },
    retrying: sum(all.map(({ retrying }) => retrying)),
    plannedNanoUsd: planned.length < all.length ? null : sum(planned),
    pace: paceOf(all.map(({ pace }) => pace)),
    totals: totals.length === 0 ? null : sumTotals(totals),
    models: sumModels(all.flatMap(({ models }) => models)),
  };
}

function countsOf(all: readonly Progress[]): JobCounts {
  const of = (name: keyof JobCounts): number => sum(all.map(({ counts }) => counts[name]));
  return {
    ...{ total: of('total'), done: of('done'), running: of('running') },
    ...{ pass: of('pass'), fail: of('fail'), review: of('review'), dlq: of('dlq') },
  };
}

/** They go on beside each other: all are through when the slowest is. */
function paceOf(all: readonly Pace[]): Pace {
  const rates = all.flatMap(({ jobsPerMinute }) => jobsPerMinute ?? []);
  const etas = all.flatMap(({ etaSeconds }) => etaSeconds ?? []);
  const least = all.flatMap(({ etaAtLeastSeconds }) => etaAtLeastSeconds ?? []);
  return {
    jobsPerMinute: rates.length === 0 ? null : sum(rates),
    etaSeconds: etas.length < all.length ? null : Math.max(...etas),
    etaAtLeastSeconds: least.length === 0 ? null : Math.max(...least),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
