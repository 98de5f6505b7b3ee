import { selectedPart } from '../../domain/selection.ts';
import type { ModelTotals } from '../../store/rows.ts';
import type { Pace } from '../display/rate.ts';
import { inManifestOrder } from '../jobs/model-order.ts';
import { budgetRecord, costRecord, usdOrNull, waitingRecord } from '../jobs/record-shapes.ts';
import { isoTime } from '../terminal/format.ts';
import { projectedCost } from './projected-cost.ts';
import { etaOf, type ShownWorker, type Snapshot } from './snapshot.ts';
import { takenOverAtMs } from './takeover-text.ts';

/** The one object that `status --json` prints; `next`: commands, as they can be typed. Fields are only ever added. */
export function statusRecord(snapshot: Snapshot, pace: Pace, next: readonly string[]): object {
  const { run, state, verdict, totals, plan, workers, asOfMs } = snapshot;
  const { jobs, results, calls, attempts, cacheHits, tokens, waiting, byModel, dlq, lostLeases } = totals;
  return {
    v: 1,
    asOf: isoTime(asOfMs),
    run: {
      id: run.runId,
      name: run.name,
      state,
      verdict,
      startedAt: isoTime(run.createdAtMs),
      finishedAt: isoTime(run.finishedAtMs),
      selection: selectedPart(run.settings, jobs.total),
    },
    jobs,
    plan: planRecord(plan),
    results,
    calls,
    attempts,
    cacheHits,
    cost: costRecord(totals),
    budget: budgetRecord(totals),
    tokens,
    etaSeconds: etaOf(snapshot, pace),
    waiting: waiting.map(waitingRecord),
    models: inManifestOrder(byModel, run).map(modelRecord),
    workers: workers.map((worker) => workerRecord(worker, snapshot)),
    dlq: dlq.map(({ reason, count }) => ({ reason, count })),
    lostLeases,
    stalled: stalledRecord(snapshot),
    projectedUsd: usdOrNull(snapshot.state === 'running' ? projectedCost(totals) : null),
    next,
  };
}

/** How far the jobs are in, as long as they are not all. */
export function planRecord(plan: Snapshot['plan']): object | null {
  return plan === null ? null : { enqueued: plan.enqueued, of: plan.of, going: plan.isGoing };
}

function stalledRecord({ stalled, asOfMs }: Snapshot): object | null {
  return stalled === null ? null : { sinceSeconds: Math.round((asOfMs - stalled.sinceMs) / 1000), why: stalled.why, cause: stalled.cause };
}

function modelRecord({ spentNanoUsd, ...counts }: ModelTotals): object {
  return { ...counts, spentUsd: usdOrNull(spentNanoUsd) };
}

/** `certain`: a lock has told whether it is alive. `takenOverAt`: about when others take what a silent one of elsewhere holds. */
function workerRecord(worker: ShownWorker, snapshot: Snapshot): object {
  const { workerId, hostname, tags, pid, version, startedAtMs, beatAtMs, running, oldestLeaseAtMs, live, alive, certain } = worker;
  const times = { startedAt: isoTime(startedAtMs), beatAt: isoTime(beatAtMs) };
  const held = { running, live, alive, certain, oldestLeaseAt: isoTime(oldestLeaseAtMs) };
  return { workerId, hostname, tags, pid, version, ...times, ...held, takenOverAt: isoTime(takenOverAtMs(worker, snapshot)) };
}
