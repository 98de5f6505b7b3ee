import { oneLine } from '../domain/hostile-text.ts';
import type { Reason } from '../domain/reason.ts';
import type { ModelTotals, RunTotals } from '../store/rows.ts';
import type { Pace } from './display/rate.ts';
import { waitingText } from './display/waiting-text.ts';
import { inManifestOrder } from './model-order.ts';
import { continueLine, runLine } from './run-line.ts';
import { etaOf, type ShownState, type ShownWorker, type Snapshot } from './snapshot.ts';
import { amount, clock, counted, dayAndClock, duration, money, percent } from './terminal/format.ts';
import type { Colour, Paint } from './terminal/style.ts';
import { type Column, tableLines } from './terminal/table.ts';
import { cut } from './terminal/width.ts';

export type ScreenLook = { readonly columns: number; readonly paint: Paint; readonly cwd: string };

const STATE_COLOURS: Record<ShownState, Colour> = {
  running: 'cyan',
  finished: 'bold',
  cancelled: 'yellow',
  paused: 'yellow',
  interrupted: 'yellow',
};

const MODEL_HEAD: readonly Column[] = [
  { title: 'MODEL' },
  ...['DONE', 'PASS', 'FAIL', 'REVIEW', 'DLQ', 'RUN', 'QUEUE', 'CACHED', 'IN', 'OUT', 'COST'].map((title) => ({
    title,
    align: 'right' as const,
  })),
];

const WORKER_HEAD: readonly Column[] = [{ title: 'WORKER' }, { title: 'RUNS' }, { title: 'OLDEST' }, { title: 'HEARTBEAT' }, { title: '' }];

/** `status` for a person: how far, how fast, what it cost, what waits and why, and what to type next. */
export function statusLines(snapshot: Snapshot, pace: Pace, look: ScreenLook): string[] {
  const { run, totals } = snapshot;
  return [
    titleLine(snapshot, look),
    cut(` ${progressText(snapshot, pace)}`, look.columns),
    cut(` ${resultsText(snapshot)}`, look.columns),
    '',
    ...tableLines(MODEL_HEAD, inManifestOrder(totals.byModel, run).map(modelCells), look.columns),
    ...workerLines(snapshot, look),
    ...troubleLines(snapshot, look),
    ...nextLines(snapshot, look),
  ];
}

function titleLine({ run, state, verdict, asOfMs }: Snapshot, { columns, paint }: ScreenLook): string {
  const took = duration((run.finishedAtMs ?? asOfMs) - run.createdAtMs);
  const word = state === 'finished' && verdict !== null ? `FINISHED ${verdict.toUpperCase()}` : state.toUpperCase();
  const text = cut(`${run.runId}  ${oneLine(run.name)}   ${word} ${took}   started ${dayAndClock(run.createdAtMs)}`, columns);
  return text.replace(word, paint(verdict === 'pass' ? 'green' : verdict === 'fail' ? 'red' : STATE_COLOURS[state], word));
}

function progressText(snapshot: Snapshot, pace: Pace): string {
  const { jobs, cost, calls, cacheHits } = snapshot.totals;
  const done = jobs.succeeded + jobs.failed + jobs.cancelled;
  const eta = etaOf(snapshot, pace);
  const spent = cost.spentNanoUsd === null && calls === 0 ? '$0.00' : money(cost.spentNanoUsd);
  const parts = [
    `${done}/${counted(jobs.total, 'job')} (${percent(done, jobs.total)})`,
    snapshot.state !== 'running' ? '' : eta === null ? 'ETA ?' : `ETA ${clock(snapshot.asOfMs + eta * 1000)}`,
    snapshot.state === 'running' && pace.jobsPerMinute !== null ? `${pace.jobsPerMinute.toFixed(1)} jobs/min` : '',
    `cost ${spent}${cost.reservedNanoUsd > 0 ? ` + ${money(cost.reservedNanoUsd)} reserved` : ''}`,
    `${counted(calls, 'call')}, ${cacheHits} from cache`,
  ];
  return parts.filter((part) => part !== '').join('   ');
}

function resultsText({ totals: { results } }: Snapshot): string {
  const { total, pass, fail, review, error, open } = results;
  return `${counted(total, 'result')}: ${pass} pass, ${fail} fail, ${review} to review, ${error} not evaluated, ${open} open`;
}

function modelCells(model: ModelTotals): string[] {
  const done = model.total - model.queued - model.running;
  const numbers = [model.pass, model.fail, model.review, model.error, model.running, model.queued, model.cached];
  const tokens = [amount(model.inputTokens), amount(model.outputTokens)];
  return [model.model, `${done}/${model.total}`, ...numbers.map(String), ...tokens, money(model.spentNanoUsd)];
}

function workerLines({ workers, asOfMs, state }: Snapshot, { columns }: ScreenLook): string[] {
  if (workers.length === 0 || state === 'finished' || state === 'cancelled') return [];
  const rows = workers.map((worker) => [
    `${worker.hostname}:${worker.pid}`,
    counted(worker.running, 'step'),
    worker.oldestLeaseAtMs === null ? '' : duration(asOfMs - worker.oldestLeaseAtMs),
    `${duration(asOfMs - worker.beatAtMs)} ago`,
    lifeText(worker),
  ]);
  return ['', ...tableLines(WORKER_HEAD, rows, columns)];
}

function lifeText({ alive, live }: ShownWorker): string {
  if (!alive) return 'gone; its work is taken up again';
  return live ? 'alive' : 'alive, but silent; its work is taken up again when its leases run out';
}

function troubleLines(snapshot: Snapshot, { columns, paint }: ScreenLook): string[] {
  const { totals, asOfMs } = snapshot;
  const tally = (name: string, reasons: readonly { reason: string; count: number }[]): string[] => {
    if (reasons.length === 0) return [];
    const sum = reasons.reduce((total, { count }) => total + count, 0);
    return [cut(` ${name} ${sum}  ${reasons.map(({ reason, count }) => `${count}× ${reason}`).join(' · ')}`, columns)];
  };
  const lines = [
    ...totals.waiting.map((waiting) => paint('yellow', cut(` WAITING ${waiting.count}  ${waitingText(waiting, asOfMs)}`, columns))),
    ...tally('RETRIED', totals.retries),
    ...tally('DLQ', totals.dlq),
    ...(totals.jobs.cancelled > 0 ? [cut(` CANCELLED ${totals.jobs.cancelled}  will not be done`, columns)] : []),
    ...inFlightLine(snapshot, { columns, paint }),
    ...(totals.lostLeases > 0 ? [cut(` LOST LEASES ${totals.lostLeases}  of workers that died or were frozen`, columns)] : []),
    ...uncertainLine(totals, { columns, paint }),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Steps run, and whoever ran them is gone. */
function isHeldByNobody({ totals, workers }: Snapshot): boolean {
  return totals.jobs.running > 0 && !workers.some(({ alive }) => alive);
}

/** Said at once, not when the leases have run out: it is money. */
function inFlightLine(snapshot: Snapshot, { columns, paint }: Pick<ScreenLook, 'columns' | 'paint'>): string[] {
  if (!isHeldByNobody(snapshot)) return [];
  const { jobs, cost } = snapshot.totals;
  const many = jobs.running > 1;
  const again = snapshot.state === 'cancelled' ? '' : ' and will be asked again';
  const bound = cost.reservedNanoUsd > 0 ? `, at most ${money(cost.reservedNanoUsd)}` : '';
  const calls = `${counted(jobs.running, 'call')} ${many ? 'were' : 'was'} in flight; ${many ? 'they' : 'it'}`;
  return [paint('yellow', cut(` ${calls} may be billed${again}${bound}`, columns))];
}

/**
 * What nobody knows is said with its bound, and where even that is unknown, so. A call of a job that goes on is asked again; one of a
 * cancelled job may have been billed for nothing.
 */
function uncertainLine({ cost, jobs }: RunTotals, { columns, paint }: Pick<ScreenLook, 'columns' | 'paint'>): string[] {
  if (cost.uncertainCalls === 0) return [];
  const { uncertainCalls: calls, uncertainUnpricedCalls: unpriced } = cost;
  const bound = unpriced === calls ? '' : `, at most ${money(cost.uncertainNanoUsd)}`;
  const unknown = unpriced === 0 ? '' : `, price of ${unpriced} unknown`;
  const how = jobs.cancelled === 0 ? 'billed twice' : 'billed twice, or without an answer';
  return [paint('yellow', cut(` possibly ${how}: ${counted(calls, 'call')}${bound}${unknown}`, columns))];
}

function nextLines(snapshot: Snapshot, { cwd, paint }: ScreenLook): string[] {
  const { run, totals } = snapshot;
  const next = [...statusSteps(snapshot, cwd), ...(totals.cost.uncertainCalls > 0 ? [settleStep(run.runId)] : [])];
  return next.length === 0 ? [] : ['', ` ${paint('cyan', 'next:')} ${next.join(' · ')}`];
}

function statusSteps(snapshot: Snapshot, cwd: string): string[] {
  const { run, state, totals } = snapshot;
  if (state === 'interrupted') return [continueLine(run, cwd)];
  if (state === 'paused') return [`aieval resume ${run.runId}`];
  // Nobody works on a cancelled run by itself: asked again, cancel ends what a process that is gone held.
  if (state === 'cancelled') return isHeldByNobody(snapshot) ? [`aieval cancel ${run.runId}`] : [];
  return state === 'finished' ? [...mendingSteps(run.runId, totals.dlq, runLine(run, cwd)), `aieval summary ${run.runId}`] : [];
}

function settleStep(runId: string): string {
  return `aieval budget settle-unknown ${runId} --at worst`;
}

/** A document that cannot be read is mended outside; only what was asked can be asked again. */
function mendingSteps(runId: string, dlq: readonly { readonly reason: Reason }[], again: string): string[] {
  const ofDocuments = dlq.filter(({ reason }) => reason.startsWith('document_'));
  return [
    ...(ofDocuments.length < dlq.length ? [`aieval retry ${runId}`] : []),
    ...(ofDocuments.length > 0 ? [`mend the documents, then ${again}`] : []),
  ];
}
