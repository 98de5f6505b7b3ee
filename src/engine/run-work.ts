import type { OnWork } from '../domain/work-news.ts';
import type { NewWorker } from '../store/plan-rows.ts';
import type { JobRecord, RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { asWorker } from './as-worker.ts';
import type { StopSignals } from './call.ts';
import { CallWatch } from './call-watch.ts';
import type { OnEvent } from './events.ts';
import { PauseNews } from './pause-news.ts';
import type { Pool } from './pool.ts';
import type { ProviderSet } from './provider-set.ts';
import { createTextCache } from './text-cache.ts';
import { type WorkEnd, workUntilDone } from './work-loop.ts';
import { workClaim } from './worker.ts';

export type RunWork = {
  readonly store: Store;
  readonly run: RunRow;
  readonly worker: NewWorker;
  readonly pool: Pool;
  readonly providers: ProviderSet;
  readonly concurrency: number;
  readonly signals: StopSignals;
  readonly onEvent: OnEvent;
  readonly onWork?: OnWork | undefined;
  readonly now: () => number;
  /** Whether to stay for whatever names a time, however far off. */
  readonly wait: boolean;
  /** Claims being worked on, for whoever tells a person what a stop waits for. */
  readonly inFlight: { count: number };
  /** Writes the artifacts of a job that just ended. */
  readonly project: (record: JobRecord) => Promise<void>;
};

/** Works on a planned run as one worker until nothing is left for it, then finishes the run if all of it is done. */
export async function workRun(input: RunWork): Promise<WorkEnd> {
  const { store, run, worker } = input;
  const end = await asWorker(store, worker, async () => {
    const end = await work(input);
    // Before the goodbye: a run that is done, and that nobody works on, would look interrupted.
    if (end.kind === 'drained') await store.finishRun(run.runId);
    return end;
  });
  if (end.kind !== 'drained') await store.finishRun(run.runId);
  return end;
}

function work(input: RunWork): Promise<WorkEnd> {
  const { store, run, worker } = input;
  return workUntilDone({
    claim: () => store.claim({ runId: run.runId, workerId: worker.workerId, tags: worker.tags ?? [] }),
    concurrency: input.concurrency,
    stop: input.signals.stop,
    now: input.now,
    maxWaitMs: input.wait ? Number.POSITIVE_INFINITY : run.settings.retry.maxWaitMs,
    handle: handlerOf(input),
    watchWork: (onWork) => store.watchWork(onWork),
  });
}

/** The work of a claim of the run, to its end. */
export function handlerOf(input: Omit<RunWork, 'wait'>): Parameters<typeof workUntilDone>[0]['handle'] {
  const { store, run, pool, providers, signals, onEvent, project } = input;
  const deps = {
    manifest: run.manifest,
    store,
    pool,
    provider: providers.get,
    text: createTextCache(store, run.runId),
    signals,
    calls: new CallWatch(store, input.worker.workerId),
    onEvent,
    onWork: input.onWork,
    workerId: input.worker.workerId,
    now: input.now,
    pauses: new PauseNews(run.manifest),
    project,
  };
  return async (claim) => {
    input.inFlight.count += 1;
    try {
      await workClaim(claim, deps);
    } finally {
      input.inFlight.count -= 1;
    }
  };
}
