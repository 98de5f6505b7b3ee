import type { EngineEvent } from '../../engine/events.ts';
import type { ModelTotals, RunTotals } from '../../store/rows.ts';
import { parseJobName } from '../jobs/find-job.ts';
import type { ShownModel } from './model-lines.ts';
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

const COUNTS = ['queued', 'running', 'cached', 'cancelled', 'pass', 'fail', 'review', 'error'] as const;
type Count = (typeof COUNTS)[number];
type Change = { readonly [Name in Count]?: number };

/** A run's totals, with what is known of its models beside. */
export type ShownTotals = Omit<RunTotals, 'byModel'> & { readonly byModel: readonly ShownModel[] };

type Ended = Extract<EngineEvent, { kind: 'job.ended' }>;

/** The totals of one run, of those that a process works on. */
export type RunNumbers = { readonly runId: string; readonly totals: ShownTotals };

/** Where a run stands, or several as one. */
export interface Standing {
  readonly counts: JobCounts;
  /** Of documents that are asked in parts; `null` where none is. */
  readonly parts: { readonly done: number; readonly total: number } | null;
  /** Jobs that wait for the time of their next try. */
  readonly retrying: number;
  /** What the run was expected to cost when it was planned here. */
  readonly plannedNanoUsd: number | null;
  readonly pace: Pace;
  /** The latest from the store; `null` before the first. */
  readonly totals: RunTotals | null;
  /** The models of those totals, in their order, with what happened since: so that they add up to `counts`. */
  readonly models: readonly ShownModel[];
}

/** Where a run stands, from the store's totals and from what started and ended since they were read. */
export class Progress implements Standing {
  #total = 0;
  #running = 0;
  /** Jobs that run in this process; a cached one never starts. */
  readonly #here = new Set<string>();
  #ended = { done: 0, pass: 0, fail: 0, review: 0, dlq: 0 };
  #totals: RunTotals | null = null;
  #models: readonly ShownModel[] = [];
  #plannedNanoUsd: number | null = null;
  #pace: Pace = { jobsPerMinute: null, etaSeconds: null, etaAtLeastSeconds: null };
  readonly #rate = new RateMeter();

  onEvent(event: EngineEvent): void {
    if (event.kind === 'run.started') {
      this.#total = event.jobs;
      this.#plannedNanoUsd = event.plan?.expectedNanoUsd ?? null;
    }
    if (event.kind === 'job.started') this.#start(event);
    if (event.kind === 'step.retry' || event.kind === 'lease.lost') this.#putBack(event);
    if (event.kind === 'job.ended') this.#end(event);
  }

  onTotals(totals: ShownTotals, nowMs: number): void {
    const { jobs, byModel } = totals;
    this.#totals = totals;
    this.#models = byModel;
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

  get parts(): { readonly done: number; readonly total: number } | null {
    const sum = this.#models.reduce((parts, model) => ({ open: parts.open + model.openParts, total: parts.total + model.parts }), {
      open: 0,
      total: 0,
    });
    return sum.total === 0 ? null : { done: sum.total - sum.open, total: sum.total };
  }

  get retrying(): number {
    const waiting = this.#totals?.waiting ?? [];
    const open = Math.max(0, this.#total - this.#ended.done - this.#running);
    return Math.min(
      open,
      waiting.reduce((sum, { why, count }) => sum + (why === 'backoff' ? count : 0), 0),
    );
  }

  get plannedNanoUsd(): number | null {
    return this.#plannedNanoUsd;
  }

  get pace(): Pace {
    return this.#pace;
  }

  get totals(): RunTotals | null {
    return this.#totals;
  }

  get models(): readonly ShownModel[] {
    return this.#models;
  }

  #start({ jobId, label }: JobOf): void {
    if (this.#here.has(jobId)) return;
    this.#here.add(jobId);
    this.#running += 1;
    this.#change(label, { queued: -1, running: 1 });
  }

  #putBack({ jobId, label }: JobOf): void {
    if (this.#leave(jobId)) this.#change(label, { queued: 1, running: -1 });
  }

  #leave(jobId: string): boolean {
    const ran = this.#here.delete(jobId);
    if (ran) this.#running = Math.max(0, this.#running - 1);
    return ran;
  }

  #change(label: string, change: Change): void {
    const job = parseJobName(label);
    this.#models = this.#models.map((each) => (job.kind === 'label' && each.model === job.model ? changed(each, change) : each));
  }

  /** What ended may be in the totals already, which then leave less open: no job ends twice. */
  #end(event: Ended): void {
    const open = this.#leave(event.jobId) ? 'running' : 'queued';
    const ended = event.state === 'cancelled' ? 'cancelled' : event.verdict;
    if (this.#ended.done >= this.#total) return;
    this.#change(event.label, { [open]: -1, [ended]: 1, cached: event.cached ? 1 : 0 });
    this.#ended.done += 1;
    if (event.state === 'cancelled') return;
    this.#ended[event.verdict === 'error' ? 'dlq' : event.verdict] += 1;
  }
}

type JobOf = { readonly jobId: string; readonly label: string };

function changed(model: ShownModel, change: Change): ShownModel {
  const next = { ...model };
  for (const name of COUNTS) next[name] = Math.max(0, model[name] + (change[name] ?? 0));
  return next;
}

function total(models: readonly ModelTotals[], field: 'pass' | 'fail' | 'review'): number {
  return models.reduce((sum, model) => sum + model[field], 0);
}
