import { budgetBounds, nearBounds } from '../../domain/budget-bounds.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { verdictSign } from '../../report/headline.ts';
import type { RunTotals } from '../../store/rows.ts';
import { boundText, uncertainText, unpricedText } from '../display/budget-text.ts';
import { modelLines as compactLines } from '../display/model-lines.ts';
import type { Pace } from '../display/rate.ts';
import { waitingText } from '../display/waiting-text.ts';
import { inManifestOrder } from '../jobs/model-order.ts';
import { partText } from '../jobs/part-text.ts';
import { enqueuedText } from '../jobs/plan-progress.ts';
import { asTyped } from '../lead.ts';
import { clock, counted, dayAndClock, duration, money, percent } from '../terminal/format.ts';
import type { Colour, Paint } from '../terminal/style.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { cut } from '../terminal/width.ts';
import { wrapped } from '../terminal/wrap.ts';
import { nextSteps } from './next-steps.ts';
import { projectedCost } from './projected-cost.ts';
import { etaOf, isHeldByNobody, jobsInAll, type ShownState, type Snapshot } from './snapshot.ts';
import { modelLines, speedLines } from './status-models.ts';
import { lifeText } from './takeover-text.ts';

export type ScreenLook = {
  readonly columns: number;
  readonly paint: Paint;
  readonly cwd: string;
  /** How the commands in it begin. */
  readonly lead: string;
};

const STATE_COLOURS: Record<ShownState, Colour> = {
  running: 'cyan',
  finished: 'bold',
  cancelled: 'yellow',
  paused: 'yellow',
  interrupted: 'yellow',
};

const WORKER_HEAD: readonly Column[] = [{ title: 'WORKER' }, { title: 'HOLDS' }, { title: 'OLDEST' }, { title: 'HEARTBEAT' }];
const LIFE: Column = { title: '' };
const TAGS: Column = { title: 'TAGS' };
const PART: Column = { title: 'WORKS ON' };

/** `status` for a person: how far, how fast, what it cost, what waits and why, and what to type next. */
export function statusLines(snapshot: Snapshot, pace: Pace, look: ScreenLook): string[] {
  const { totals } = snapshot;
  return [
    titleLine(snapshot, look),
    ...partLine(snapshot, look.columns),
    ...planLine(snapshot, look),
    ...wrapped(` ${progressText(snapshot, pace)}`, look.columns),
    ...wrapped(` ${resultsText(snapshot)}`, look.columns),
    ...budgetLine(totals, look),
    '',
    ...modelTable(snapshot, look.columns),
    ...workerLines(snapshot, look),
    ...troubleLines(snapshot, look),
    ...nextLines(snapshot, look),
  ];
}

/** Tables; where the first does not fit a row of its own for each model, the most important of both on one line each. */
function modelTable(snapshot: Snapshot, columns: number): string[] {
  const { run, totals, asOfMs: nowMs } = snapshot;
  const counts = modelLines(snapshot, columns);
  if (counts.length <= totals.byModel.length + 1) return [...counts, ...speedLines(snapshot, columns)];
  const { byModel, waiting } = totals;
  return compactLines(inManifestOrder(byModel, run), byModel.length, { columns, nowMs, waiting });
}

function titleLine(snapshot: Snapshot, { columns, paint }: ScreenLook): string {
  const { run } = snapshot;
  const [word, took] = [stateWord(snapshot), tookText(snapshot)];
  const since = snapshot.stalled === null ? `started ${dayAndClock(run.createdAtMs)}` : snapshot.stalled.cause;
  const text = cut(`${run.runId}  ${oneLine(run.name)}   ${word}${took}   ${since}`, columns);
  return text.replace(word, paint(titleColour(snapshot), word));
}

/** Its numbers are not those of the manifest. */
function partLine({ run, totals }: Snapshot, columns: number): string[] {
  const part = partText(run.settings, totals.jobs.total);
  return part === null ? [] : wrapped(` part: ${part}`, columns);
}

function planLine({ plan }: Snapshot, { columns, paint }: ScreenLook): string[] {
  if (plan === null) return [];
  const jobs = enqueuedText(plan);
  if (plan.isGoing) return wrapped(` plan: ${jobs} enqueued so far`, columns);
  const text = ` plan: broke off at ${jobs}; \`run\`, where the manifest is, adds the rest and asks nothing twice`;
  return wrapped(text, columns).map((line) => paint('yellow', line));
}

function titleColour({ state, verdict, stalled, totals }: Snapshot): Colour {
  if (stalled !== null) return 'yellow';
  const word = state === 'finished' && verdict !== null ? verdictSign(verdict, totals.results).word : null;
  return word === 'PASS' ? 'green' : word === 'FAIL' ? 'red' : STATE_COLOURS[state];
}

function stateWord({ run, totals, state, verdict, stoppedBy, stalled }: Snapshot): string {
  if (stalled !== null) return 'STALLED';
  if (stoppedBy !== null) return `STOPPED ${stoppedBy}`;
  if (state !== 'finished' || verdict === null) return state.toUpperCase();
  return `FINISHED ${verdictSign(verdict, totals.results).word}${partText(run.settings, totals.jobs.total) === null ? '' : ' of a part'}`;
}

/** Nobody spends time on a run that nobody works on. */
function tookText({ run, state, stalled, asOfMs }: Snapshot): string {
  if (stalled !== null) return ` for ${duration(asOfMs - stalled.sinceMs)}`;
  return state === 'interrupted' ? '' : ` ${duration((run.finishedAtMs ?? asOfMs) - run.createdAtMs)}`;
}

function progressText(snapshot: Snapshot, pace: Pace): string {
  const { jobs, cost, calls, cacheHits, budget } = snapshot.totals;
  const done = jobs.succeeded + jobs.failed + jobs.cancelled;
  const total = jobsInAll(snapshot);
  const eta = etaOf(snapshot, pace);
  const spent = cost.spentNanoUsd === null && calls === 0 ? '$0.00' : money(cost.spentNanoUsd);
  const unpriced = unpricedText(cost);
  const reserved = cost.reservedNanoUsd > 0 ? ` + ${money(cost.reservedNanoUsd)} reserved` : '';
  const unknown = cost.uncertainNanoUsd > 0 ? ` + up to ${money(cost.uncertainNanoUsd)} unknown` : '';
  const limit = budget === null || budget.budget.nanoUsd === null ? '' : ` / ${money(budget.budget.nanoUsd)}`;
  const projected = snapshot.state === 'running' ? projectedCost(snapshot.totals) : null;
  const parts = partsOf(snapshot.totals);
  const told = [
    `${done}/${counted(total, 'job')} (${percent(done, total)})`,
    snapshot.state !== 'running' ? '' : eta === null ? 'ETA ?' : `ETA ${clock(snapshot.asOfMs + eta * 1000)}`,
    snapshot.state === 'running' && pace.jobsPerMinute !== null ? `${pace.jobsPerMinute.toFixed(1)} jobs/min` : '',
    parts.total === 0 ? '' : `parts ${parts.total - parts.open}/${parts.total}`,
    `cost ${spent}${unpriced}${reserved}${unknown}${limit}`,
    projected === null ? '' : `proj. ${money(projected)}`,
    `${counted(calls, 'call')}, ${cacheHits} from cache`,
  ];
  return told.filter((part) => part !== '').join('   ');
}

/** Of documents that are asked in parts, in all. */
function partsOf({ byModel }: RunTotals): { readonly open: number; readonly total: number } {
  return byModel.reduce((sum, { parts, openParts }) => ({ open: sum.open + openParts, total: sum.total + parts }), { open: 0, total: 0 });
}

function resultsText({ totals: { results } }: Snapshot): string {
  const { total, pass, fail, review, error, open } = results;
  return `${counted(total, 'result')}: ${pass} pass, ${fail} fail, ${review} to review, ${error} not evaluated, ${open} open`;
}

function budgetLine({ budget }: RunTotals, { columns, paint }: ScreenLook): string[] {
  if (budget === null) return [];
  const lines = wrapped(` budget: ${budgetBounds(budget).map(boundText).join(' · ')}`, columns);
  return nearBounds(budget).length === 0 ? lines : lines.map((line) => paint('yellow', line));
}

function workerLines(snapshot: Snapshot, { columns }: ScreenLook): string[] {
  const { workers, asOfMs, state } = snapshot;
  if (workers.length === 0 || state === 'finished' || state === 'cancelled') return [];
  const tagged = workers.some(({ tags }) => tags.length > 0);
  const ofAll = workers.some(({ runId }) => runId === null);
  const rows = workers.map((worker) => [
    `${worker.hostname}:${worker.pid}`,
    counted(worker.running, 'step'),
    worker.oldestLeaseAtMs === null ? '' : duration(asOfMs - worker.oldestLeaseAtMs),
    `${duration(asOfMs - worker.beatAtMs)} ago`,
    ...(ofAll ? [worker.runId === null ? 'all runs' : 'this run'] : []),
    ...(tagged ? [worker.tags.join(', ')] : []),
    lifeText(worker, snapshot),
  ]);
  return ['', ...tableLines([...WORKER_HEAD, ...(ofAll ? [PART] : []), ...(tagged ? [TAGS] : []), LIFE], rows, columns)];
}

function troubleLines(snapshot: Snapshot, { columns, paint }: ScreenLook): string[] {
  const { totals, asOfMs } = snapshot;
  const tally = (name: string, reasons: readonly { reason: string; count: number }[]): string[] => {
    if (reasons.length === 0) return [];
    const sum = reasons.reduce((total, { count }) => total + count, 0);
    return [cut(` ${name} ${sum}  ${reasons.map(({ reason, count }) => `${count}× ${reason}`).join(' · ')}`, columns)];
  };
  const lines = [
    ...totals.waiting.flatMap((waiting) =>
      wrapped(` WAITING ${waiting.count}  ${waitingText(waiting, asOfMs)}`, columns).map((line) => paint('yellow', line)),
    ),
    // What was in flight when a person stopped the run was not tried again for a failure.
    ...tally(
      'RETRIED',
      totals.retries.filter(({ reason }) => reason !== 'cancelled'),
    ),
    ...tally('DLQ', totals.dlq),
    ...(totals.jobs.cancelled > 0 ? [cut(` CANCELLED ${totals.jobs.cancelled}  will not be done`, columns)] : []),
    ...inFlightLine(snapshot, { columns, paint }),
    ...(totals.lostLeases > 0 ? [cut(` LOST LEASES ${totals.lostLeases}  of workers that died or were frozen`, columns)] : []),
    ...uncertainLine(totals, { columns, paint }),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Said at once, not when the leases have run out: it is money. */
function inFlightLine(snapshot: Snapshot, { columns, paint }: Pick<ScreenLook, 'columns' | 'paint'>): string[] {
  const { inFlight } = snapshot.totals;
  // Of a step that was claimed and not sent, or whose answer is stored, nothing is unknown.
  if (!isHeldByNobody(snapshot) || inFlight.calls === 0) return [];
  const many = inFlight.calls > 1;
  const again = snapshot.state === 'cancelled' ? '' : ' and will be asked again';
  const bound = inFlight.nanoUsd > 0 ? `, at most ${money(inFlight.nanoUsd)}` : '';
  const calls = `${counted(inFlight.calls, 'call')} ${many ? 'were' : 'was'} in flight; ${many ? 'they' : 'it'}`;
  const text = ` ${calls} may be billed${again}${bound}${keptText(snapshot)}`;
  return wrapped(text, columns).map((line) => paint('yellow', line));
}

/** A worker that was cut off from the server keeps on its own machine what it had paid for. */
function keptText({ workers }: Snapshot): string {
  const hosts = new Set(workers.filter(({ running, certain }) => running > 0 && !certain).map(({ hostname }) => oneLine(hostname)));
  return hosts.size === 0 ? '' : `; answers may be kept on ${[...hosts].join(', ')}: start aieval there first`;
}

function uncertainLine({ cost }: RunTotals, { columns, paint }: Pick<ScreenLook, 'columns' | 'paint'>): string[] {
  if (cost.uncertainCalls === 0) return [];
  return [paint('yellow', cut(` cost unknown: ${uncertainText(cost)}`, columns))];
}

function nextLines(snapshot: Snapshot, { cwd, lead, paint }: ScreenLook): string[] {
  const next = nextSteps(snapshot, cwd);
  return next.length === 0 ? [] : ['', ` ${paint('cyan', 'next:')} ${asTyped(next.join(' · '), lead)}`];
}
