import type { EngineEvent } from '../../engine/events.ts';
import type { ModelTotals, RunTotals } from '../../store/rows.ts';
import { type Pace, RateMeter } from './rate.ts';

/** Jobs of a run by where they stand. Progress counts jobs; only verdicts count results. */
export type JobCounts = {
  readonly total: number;
  readonly done: number;
  readonly pass: number;
  readonly fail: number;
  readonly review: number;
  readonly dlq: number;
  readonly running: number;
};

type Ended = Extract<EngineEvent, { kind: 'job.ended' }>;

/** Where a run stands, from the store's totals and from what ended since they were read. */
export class Progress {
  #total = 0;
  #running = 0;
  /** Jobs that run in this process; a cached one never starts. */
  readonly #here = new Set<string>();
  #ended = { done: 0, pass: 0, fail: 0, review: 0, dlq: 0 };
  #totals: RunTotals | null = null;
  #pace: Pace = { jobsPerMinute: null, etaSeconds: null };
  readonly #rate = new RateMeter();

  onEvent(event: EngineEvent): void {
    if (event.kind === 'run.started') this.#total = event.jobs;
    if (event.kind === 'job.started') this.#start(event.jobId);
    if (event.kind === 'step.retry' || event.kind === 'lease.lost') this.#leave(event.jobId);
    if (event.kind === 'job.ended') this.#end(event);
  }

  onTotals(totals: RunTotals, nowMs: number): void {
    const { jobs, byModel } = totals;
    this.#totals = totals;
    this.#total = jobs.total;
    this.#running = jobs.running;
    this.#ended = {
      done: jobs.succeeded + jobs.failed + jobs.cancelled,
      pass: total(byModel, 'pass'),
      fail: total(byModel, 'fail'),
      review: total(byModel, 'review'),
      dlq: jobs.failed,
    };
    this.#rate.add(nowMs, totals);
    this.#pace = this.#rate.pace(totals);
  }

  get counts(): JobCounts {
    return { total: this.#total, running: this.#running, ...this.#ended };
  }

  get pace(): Pace {
    return this.#pace;
  }

  /** The latest from the store; `null` before the first. */
  get totals(): RunTotals | null {
    return this.#totals;
  }

  #start(jobId: string): void {
    if (this.#here.has(jobId)) return;
    this.#here.add(jobId);
    this.#running += 1;
  }

  #leave(jobId: string): void {
    if (this.#here.delete(jobId)) this.#running = Math.max(0, this.#running - 1);
  }

  #end(event: Ended): void {
    this.#leave(event.jobId);
    this.#ended.done += 1;
    if (event.state === 'cancelled') return;
    this.#ended[event.verdict === 'error' ? 'dlq' : event.verdict] += 1;
  }
}

function total(models: readonly ModelTotals[], field: 'pass' | 'fail' | 'review'): number {
  return models.reduce((sum, model) => sum + model[field], 0);
}
