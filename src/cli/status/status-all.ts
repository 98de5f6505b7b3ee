import type { RunRow, UnreadableRun } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { unreadableText } from '../../store/stored-run.ts';
import { partText } from '../jobs/part-text.ts';
import { asTyped } from '../lead.ts';
import { counted, dayAndClock, isoTime } from '../terminal/format.ts';
import type { Paint } from '../terminal/style.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { cut } from '../terminal/width.ts';
import { jobsInAll, type Snapshot, snapshotOf } from './snapshot.ts';
import { planRecord } from './status-record.ts';

type AllStore = Pick<Store, 'listRuns' | 'runTotals' | 'workers'>;

/** Every run that this version can read as it stands, newest first; only the sums are read of each. */
export async function allRuns(store: AllStore, nowMs: number): Promise<readonly Snapshot[]> {
  const runs = await store.listRuns();
  const workers = await store.workers();
  const snapshots: Snapshot[] = [];
  for (const run of runs) snapshots.push(snapshotOf(run, { totals: await store.runTotals(run.runId), workers, nowMs }));
  return snapshots;
}

/** The object that `status --all --json` prints. Fields are only ever added. */
export function allRecord(snapshots: readonly Snapshot[], others: readonly UnreadableRun[]): object {
  const runs = snapshots.map(({ run, state, verdict, plan, totals: { jobs } }) => ({
    id: run.runId,
    name: run.name,
    state,
    verdict,
    startedAt: isoTime(run.createdAtMs),
    jobs,
    plan: planRecord(plan),
  }));
  const unreadable = others.map(({ runId, state, createdAtMs, unreadableAt }) => ({
    id: runId,
    state,
    startedAt: isoTime(createdAtMs),
    unreadableAt,
  }));
  return { v: 1, runs, unreadable };
}

const NUMBERS = ['DONE', 'PASS', 'FAIL', 'REVIEW', 'ERROR'].map((title) => ({ title, align: 'right' as const }));
const HEAD: readonly Column[] = [{ title: 'RUN' }, { title: 'NAME' }, { title: 'STATE' }, ...NUMBERS, { title: 'STARTED' }];

type Look = { readonly columns: number; readonly paint: Paint };

/** `status --all` for a person. The numbers behind DONE count results. */
export function allLines(snapshots: readonly Snapshot[], unreadable: readonly UnreadableRun[], { columns, paint }: Look): string[] {
  const others = unreadable.map((run) => `${paint('yellow', '!')} ${unreadableText(run)}`);
  if (snapshots.length === 0) return others.length === 0 ? ['No run has been started here yet.'] : others;
  const [head = '', ...rows] = tableLines(HEAD, snapshots.map(cells), columns);
  return [paint('bold', head), ...rows, ...others];
}

function cells(snapshot: Snapshot): string[] {
  const { run, totals } = snapshot;
  const { jobs, results } = totals;
  const done = `${jobs.succeeded + jobs.failed + jobs.cancelled}/${jobsInAll(snapshot)}`;
  const numbers = [results.pass, results.fail, results.review, results.error].map(String);
  return [run.runId, run.name, stateText(snapshot), done, ...numbers, dayAndClock(run.createdAtMs)];
}

function stateText({ run, totals, state, verdict, stoppedBy }: Snapshot): string {
  if (stoppedBy !== null) return `stopped ${stoppedBy}`;
  if (state !== 'finished' || verdict === null) return state;
  return `finished ${verdict}${partText(run.settings, totals.jobs.total) === null ? '' : ' of a part'}`;
}

const SHOWN_OTHERS = 5;

/** What a look at one run must not hide: that others are not done. `null` when they all are. */
export function otherRunsLine(runs: readonly RunRow[], runId: string, { columns, lead }: { columns: number; lead: string }): string | null {
  const others = runs.filter((run) => run.runId !== runId && run.state !== 'finished' && run.state !== 'cancelled');
  if (others.length === 0) return null;
  const shown = others.slice(0, SHOWN_OTHERS).map((run) => run.runId);
  const ids = [...shown, ...(others.length > SHOWN_OTHERS ? ['…'] : [])].join(', ');
  const action = ` → ${asTyped('aieval status --all', lead)}`;
  // What is to be typed is never cut.
  return `${cut(` ${counted(others.length, 'other unfinished run')}: ${ids}`, columns - action.length)}${action}`;
}
