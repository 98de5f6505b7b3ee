import { jsonLine } from '../../domain/hostile-text.ts';
import type { RunRow, Waiting } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findRun } from '../jobs/find-run.ts';
import { asTyped } from '../lead.ts';
import { counted } from '../terminal/format.ts';
import { inFlightText, isWorkedOn, livingWorkers } from './in-flight-text.ts';
import { type RunHere, runHere } from './run-here.ts';
import { canStart, continueLine, runLine, tagWords, workerLine } from './run-line.ts';

/** `aieval pause [RUN]`: nothing more of the run is started, by any process; what runs finishes. */
export async function pauseCommand(io: CliIo, globals: Globals, name: string): Promise<number> {
  return await change(io, globals, name, {
    verb: (store, { runId }) => store.pauseRun(runId),
    told: async (store, { runId }) => {
      const { running } = (await store.runTotals(runId)).jobs;
      const fate = running > 0 ? ` ${inFlightText(running, await isWorkedOn(store, runId))}` : '';
      return `Paused run ${runId}: nothing more is started.${fate}\nnext: aieval resume ${runId}`;
    },
  });
}

/** `aieval resume [RUN]`: the run may go on. This process does not work on it: who does is said. */
export async function resumeCommand(io: CliIo, globals: Globals, name: string): Promise<number> {
  return await change(io, globals, name, {
    verb: (store, { runId }) => store.resumeRun(runId),
    told: async (store, run) => {
      const alive = (await livingWorkers(store, run.runId)).length;
      const { waiting } = await store.runTotals(run.runId);
      if (alive > 0) return `Resumed run ${run.runId}: ${counted(alive, 'worker')} will take it up.${untaken(run, waiting)}`;
      return `Resumed run ${run.runId}: nobody works on it yet.\nnext: ${nextText(runHere(run, { store }), { waiting, cwd: io.cwd })}`;
    },
  });
}

/** What the workers that are there leave. */
function untaken(run: RunRow, waiting: readonly Waiting[]): string {
  const needs = waiting.filter(({ why }) => why === 'tags');
  if (needs.length === 0) return '';
  const jobs = needs.reduce((sum, { count }) => sum + count, 0);
  return ` None of them has the tags that ${counted(jobs, 'step')} ${jobs === 1 ? 'needs' : 'need'}.\nnext: ${workerLine(run, needs)}`;
}

type Left = { readonly waiting: readonly Waiting[]; readonly cwd: string };

/** With the tags that open work needs: whoever has them does all of it. */
function nextText(run: RunHere, { waiting, cwd }: Left): string {
  if (!canStart(run) || run.plannedAtMs === null) return continueLine(run, cwd, waiting);
  return `${runLine(run, cwd, tagWords(waiting))} · ${workerLine(run, waiting)}`;
}

type Change = {
  readonly verb: (store: Store, run: RunRow) => Promise<{ changed: boolean }>;
  readonly told: (store: Store, run: RunRow) => Promise<string>;
};

async function change(io: CliIo, globals: Globals, name: string, { verb, told }: Change): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const run = await findRun(store, name);
    const { changed } = await verb(store, run);
    if (globals.json) io.stdout.write(`${jsonLine({ v: 1, run: run.runId, changed })}\n`);
    else if (!globals.quiet) io.stdout.write(`${changed ? asTyped(await told(store, run), io.notes.lead) : unchanged(run)}\n`);
    return EXIT.pass;
  });
}

function unchanged({ runId, state }: RunRow): string {
  const word = state === 'open' || state === 'planning' ? 'not paused' : state === 'paused' ? 'paused already' : state;
  return `Run ${runId} is ${word}; nothing was changed.`;
}
