import { oneLine } from '../../domain/hostile-text.ts';
import type { EngineEvent } from '../../engine/events.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { CliIo } from '../io.ts';
import { shortOptions } from '../jobs/part-text.ts';
import { asTyped } from '../lead.ts';
import type { Prepared } from '../plan/prepare.ts';
import { goOnSteps } from '../status/go-on.ts';
import { takeSnapshot } from '../status/snapshot.ts';
import { counted } from '../terminal/format.ts';
import { shortPath } from '../terminal/short-path.ts';
import { changesSince, SELECTION } from './run-changes.ts';
import { workerLine } from './run-line.ts';

type Since = NonNullable<Extract<EngineEvent, { kind: 'run.started' }>['since']>;

export type ChangesInput = {
  readonly store: Pick<Store, 'listRuns' | 'documents' | 'getRun' | 'runTotals' | 'workers' | 'openCalls' | 'spansMachines'>;
  readonly prepared: Prepared;
  /** The run that was opened, not joined. */
  readonly run: RunRow;
  /** Jobs whose answer is known. */
  readonly reused: number;
};

/** What changed since the newest earlier run of the same manifest; `null`: there is none, or it was of the same work. */
export async function changesInRun({ store, prepared, run, reused }: ChangesInput): Promise<(Since & { readonly earlier: RunRow }) | null> {
  const earlier = (await store.listRuns()).find((other) => other.runId !== run.runId && other.manifestPath === run.manifestPath);
  if (earlier === undefined || earlier.identity === run.identity) return null;
  const documents = (await store.documents(earlier.runId)).map(({ documentId, content }) => ({
    documentId,
    textSha256: content.ok ? content.textSha256 : null,
  }));
  const changes = changesSince(
    { manifest: earlier.manifest, documents, selection: earlier.settings.selection ?? null },
    {
      manifest: prepared.manifest,
      documents: prepared.documents.map(({ documentId, extraction }) => ({
        documentId,
        textSha256: extraction.ok ? extraction.content.textSha256 : null,
      })),
      selection: prepared.selected?.selection ?? null,
    },
  );
  return { runId: earlier.runId, changes, reused, earlier };
}

const MOST_CHANGES = 5;

type Changed = NonNullable<Awaited<ReturnType<typeof changesInRun>>>;

/** Says so in one line, and what becomes of the earlier run. */
export async function tellChanges(io: CliIo, { store, prepared, run }: ChangesInput, changed: Changed): Promise<void> {
  const { earlier, changes, reused } = changed;
  const answers = `reuses ${reused} of ${counted(prepared.plan.counts.jobs, 'answer')}`;
  const fate = asTyped(await fateOf(store, earlier, { io, sameWork: changes.every((change) => change === SELECTION) }), io.notes.lead);
  // Nothing has changed: a part and the whole are two runs, and an ended one stays what it is.
  if (changes.length === 1 && changes[0] === SELECTION) {
    io.stderr.write(`note: ${partsText(earlier, run)}, and ${answers}${isOver(earlier) ? '' : `; ${fate}`}\n`);
    return;
  }
  const manifest = oneLine(shortPath(run.manifestPath, io.cwd));
  io.stderr.write(`note[E23]: ${manifest} changed since ${earlier.runId}${listText(changes)}. New run ${run.runId} ${answers}; ${fate}\n`);
}

function listText(changes: readonly string[]): string {
  const shown = changes.slice(0, MOST_CHANGES).map((change) => oneLine(change));
  const more = changes.length > shown.length ? [`${changes.length - shown.length} more`] : [];
  return shown.length === 0 ? '' : ` (${[...shown, ...more].join(', ')})`;
}

/** `r-a was a part of the manifest (--first 1), r-b is the whole`. */
function partsText(earlier: RunRow, run: RunRow): string {
  const [before, now] = [earlier.settings.selection, run.settings.selection];
  const part = before === undefined ? 'the whole manifest' : `a part of the manifest (${shortOptions(before)})`;
  const other = before === undefined ? 'a part of it' : 'another part';
  return `${earlier.runId} was ${part}, ${run.runId} is ${now === undefined ? 'the whole' : `${other} (${shortOptions(now)})`}`;
}

function isOver({ state }: RunRow): boolean {
  return state === 'finished' || state === 'cancelled';
}

/** Whoever changed the manifest cannot start the earlier run by it. */
type Fate = { readonly io: Pick<CliIo, 'cwd' | 'now'>; readonly sameWork: boolean };

async function fateOf(store: ChangesInput['store'], run: RunRow, { io, sameWork }: Fate): Promise<string> {
  const { runId, state, plannedAtMs } = run;
  if (isOver(run)) return `${runId} is closed`;
  const snapshot = await takeSnapshot(store, runId, io.now());
  const { jobs } = snapshot.totals;
  const done = `${jobs.succeeded + jobs.failed + jobs.cancelled} of ${jobs.total} done`;
  const worker = plannedAtMs === null ? [] : [workerLine(run, snapshot.totals.waiting)];
  const isSpent = snapshot.stoppedBy === 'budget';
  const goOn = state === 'paused' ? [`aieval resume ${runId}`] : isSpent ? (sameWork ? goOnSteps(snapshot, io.cwd) : []) : worker;
  const why = isSpent ? 'stopped at its budget' : 'is left unfinished';
  return `${runId} (${done}) ${why}: ${[...goOn, `aieval cancel ${runId}`].join(', or ')}`;
}
