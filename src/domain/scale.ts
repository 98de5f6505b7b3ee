/** What a fleet of workers with the same tags has to do, and who is there. Counts are of jobs, over all runs of a store. */
export type Load = {
  /** Queued, and could be worked on by one of them. */
  readonly queued: number;
  readonly running: number;
  /** How long one takes; `null`: none was measured yet. */
  readonly jobMs: number | null;
  readonly workersAlive: number;
  /** Of them, those that hold claimed work. */
  readonly workersHolding: number;
  /** Jobs at once of one worker; at least 1. */
  readonly concurrency: number;
  /** The most jobs that limits let run at once; `null`: no bound. */
  readonly mostRunning: number | null;
};

export type ScaleWish = {
  /** In which the open jobs should be done. */
  readonly targetMs: number;
  /** At least 0, and not above `max`. */
  readonly min: number;
  readonly max: number;
};

/** `unmeasured`: one worker finds out how long jobs take. `steady`: near enough. `holding`: fewer would do, but these hold work. */
export type ScaleReason = 'idle' | 'unmeasured' | 'up' | 'down' | 'steady' | 'holding';

export type Desired = { readonly workers: number; readonly why: ScaleReason };

/** More workers come when those that are there would take this much longer than wished. */
const UP_AT = 1.1;
/** Some leave when what is to be done would keep no more than this share of them busy. */
const DOWN_AT = 0.7;

/**
 * How many workers should be there. What is there is the memory: between the two marks nothing changes, so that numbers that tremble move
 * no worker, and asking again with the advice followed gives the same. Never fewer than hold claimed work, whatever `max` says: ending one
 * of those gives paid work back.
 */
export function desiredWorkers(load: Load, { targetMs, min, max }: ScaleWish): Desired {
  const wished = wishedWorkers(load, targetMs);
  const bounded = Math.min(max, Math.max(min, wished.workers));
  const { workersAlive, workersHolding } = load;
  if (workersHolding > bounded) return { workers: workersHolding, why: 'holding' };
  return { workers: bounded, why: wished.why === 'idle' || wished.why === 'unmeasured' ? wished.why : direction(bounded, workersAlive) };
}

function direction(workers: number, alive: number): ScaleReason {
  return workers === alive ? 'steady' : workers > alive ? 'up' : 'down';
}

function wishedWorkers(load: Load, targetMs: number): Desired {
  const { jobMs, concurrency, workersAlive } = load;
  const open = load.queued + load.running;
  if (open === 0) return { workers: 0, why: 'idle' };
  // More would find nothing to do, or no leave to do it.
  const useful = Math.min(open, load.mostRunning ?? open) / concurrency;
  if (jobMs === null) return { workers: moved(Math.max(1, workersAlive), Math.min(useful, workersAlive)), why: 'unmeasured' };
  return { workers: moved(workersAlive, Math.min(useful, (open * jobMs) / targetMs / concurrency)), why: 'steady' };
}

/** From so many workers to as many as that many busy ones need, if it is worth it. */
function moved(workers: number, busy: number): number {
  const needed = Math.max(1, Math.ceil(busy));
  const near = needed > workers ? busy <= workers * UP_AT : busy > workers * DOWN_AT;
  return near ? workers : needed;
}
