import { oneLine } from '../../domain/hostile-text.ts';
import type { EngineEvent } from '../../engine/events.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { CliIo } from '../io.ts';
import type { Prepared } from '../plan/prepare.ts';
import { counted } from '../terminal/format.ts';
import { shortPath } from '../terminal/short-path.ts';
import { changesSince, SELECTION } from './run-changes.ts';

type Since = NonNullable<Extract<EngineEvent, { kind: 'run.started' }>['since']>;

export type ChangesInput = {
  readonly store: Pick<Store, 'listRuns' | 'documents' | 'runTotals'>;
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

/** Says so in one line, and what becomes of the earlier run. */
export async function tellChanges(
  io: CliIo,
  { store, prepared, run }: ChangesInput,
  { earlier, changes, reused }: NonNullable<Awaited<ReturnType<typeof changesInRun>>>,
): Promise<void> {
  const shown = changes.slice(0, MOST_CHANGES).map((change) => oneLine(change));
  const more = changes.length > shown.length ? [`${changes.length - shown.length} more`] : [];
  const list = shown.length === 0 ? '' : ` (${[...shown, ...more].join(', ')})`;
  const what =
    changes.length === 1 && changes[0] === SELECTION
      ? `${earlier.runId} had another selection.`
      : `${oneLine(shortPath(run.manifestPath, io.cwd))} changed since ${earlier.runId}${list}.`;
  const answers = `New run ${run.runId} reuses ${reused} of ${counted(prepared.plan.jobs.length, 'answer')}`;
  io.stderr.write(`note[E23]: ${what} ${answers}; ${await fateOf(store, earlier)}\n`);
}

async function fateOf(store: ChangesInput['store'], { runId, state, plannedAtMs }: RunRow): Promise<string> {
  if (state === 'finished' || state === 'cancelled') return `${runId} is closed`;
  const { jobs } = await store.runTotals(runId);
  const done = `${jobs.succeeded + jobs.failed + jobs.cancelled} of ${jobs.total} done`;
  const goOn = state === 'paused' ? [`aieval resume ${runId}`] : plannedAtMs === null ? [] : [`aieval worker ${runId}`];
  return `${runId} (${done}) is left unfinished: ${[...goOn, `aieval cancel ${runId}`].join(', or ')}`;
}
