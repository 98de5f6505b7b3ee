import type { Reason } from '../../domain/reason.ts';
import { areFilesHere } from '../../engine/files-here.ts';
import type { Pool } from '../../engine/pool.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { thisWorker } from '../context.ts';
import { underPrivacy } from '../display/bare.ts';
import type { Display } from '../display/display.ts';
import type { CliIo } from '../io.ts';
import { execute } from './execute.ts';
import { trustInStore } from './providers.ts';
import { runHere } from './run-here.ts';
import { openSession } from './session.ts';

/** What a process works with, whatever the run. */
export type WorkTools = {
  readonly store: Store;
  readonly display: Display;
  readonly pool: Pool;
  /** Where this machine lets keys go, by a manifest that it does not trust. */
  readonly allowHosts: readonly string[];
};

export type KnownRun = WorkTools & {
  readonly run: RunRow;
  /** Jobs that this is about, for whoever watches. */
  readonly jobs: number;
  /** Reasons of which all failed jobs are asked again. */
  readonly askedAgain?: readonly Reason[];
};

/** Works on a run that is in the store already, with the manifest that is kept there. Returns the exit code. */
export async function workOn(
  io: CliIo,
  { store, run, display: given, pool, allowHosts, jobs, askedAgain = [] }: KnownRun,
  options: { readonly concurrency?: number; readonly tags?: readonly string[]; readonly exitZero?: boolean; readonly wait?: boolean },
): Promise<number> {
  const { runId, name, outDir } = run;
  const display = underPrivacy(given, io, run.manifest);
  const session = openSession(io, {
    display,
    manifest: run.manifest,
    started: runHere(run, { store }),
    trust: trustInStore({ store, run }, allowHosts),
  });
  try {
    await session.preflight(await waitingProviders(store, run));
    display.onEvent({
      kind: 'run.started',
      runId,
      name,
      joined: true,
      jobs,
      cached: null,
      outDir,
      filesHere: areFilesHere({ store, run }),
    });
    const concurrency = options.concurrency ?? run.manifest.concurrency;
    const [exitZero, wait] = [options.exitZero === true, options.wait === true];
    const worker = thisWorker(io, runId, options.tags ?? []);
    return await execute(io, { store, run, worker, pool, display, session, concurrency, exitZero, wait, askedAgain });
  } finally {
    await session.close();
  }
}

/** The providers that queued jobs will ask. */
export async function waitingProviders(store: Pick<Store, 'runTotals'>, run: RunRow): Promise<Set<string>> {
  const { byModel } = await store.runTotals(run.runId);
  const waiting = byModel.filter(({ queued }) => queued > 0).flatMap(({ model }) => run.manifest.models[model]?.provider ?? []);
  return new Set(waiting);
}
