import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { isReadable, unreadableOf, unreadableText } from '../../store/stored-run.ts';
import { DEFAULT_RUN } from '../commands/command-parts.ts';
import type { StatusOptions } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { mayShowWords } from '../display/bare.ts';
import { RateMeter } from '../display/rate.ts';
import { blockedCode, EXIT, exitCodeOf, worst } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findRun } from '../jobs/find-run.ts';
import { asTyped } from '../lead.ts';
import { usableColumns } from '../terminal/look.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { painter } from '../terminal/style.ts';
import { tellCopied } from '../told-store.ts';
import { Following } from './following.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import type { Look } from './status-watch.ts';

const OFF_TERMINAL_COLUMNS = 200;

/** `aieval status [RUN]`: one look at a run, with `--watch` one after the other until it ends, with `--all` one at every run. Returns the exit code. */
export async function statusCommand(io: CliIo, globals: Globals, name: string, options: StatusOptions): Promise<number> {
  if (options.all === true && name !== DEFAULT_RUN) throw allOrOne(name);
  const following = new Following(io);
  const patience = options.watch === true ? following.patience : undefined;
  return await withStore(io, { ...globals, patience }, async (store, { db }) => {
    await tellCopied(io, globals, db);
    if (options.all === true) return await all(io, globals, store);
    const run = name === DEFAULT_RUN ? await newestReadable(io, store) : await findRun(store, name);
    const pace = new RateMeter(run.plannedAtMs ?? run.createdAtMs);
    const look = async (): Promise<Look> => {
      const snapshot = await takeSnapshot(store, run.runId, io.now(), ({ manifest }) => mayShowWords(io, [io.stdout], manifest));
      pace.add(snapshot.asOfMs, snapshot.totals);
      return { snapshot, pace: pace.pace(snapshot.totals) };
    };
    if (options.watch !== true) return await once(io, globals, { store, options, seen: await look() });
    const textOf = (seen: Look) => text(io, globals, seen);
    const { watchRun } = await import('./status-watch.ts');
    const end = await watchRun(io, {
      ...{ json: globals.json, seconds: options.interval, look, textOf },
      isDisturbed: () => following.hasSaid(),
      hurry: () => store.hurry('now'),
    });
    return typeof end === 'number' ? end : exitCode(options, end.snapshot);
  });
}

/** A look that nobody named a run for shows what can be shown. What it passes over is told: newer runs, and such as are not done. */
async function newestReadable(io: CliIo, store: Store): Promise<RunRow> {
  const runs = await store.allRuns();
  const run = runs.find(isReadable) ?? (await findRun(store, DEFAULT_RUN));
  const at = runs.indexOf(run);
  for (const other of unreadableOf(runs.filter(({ state }, index) => index < at || (state !== 'finished' && state !== 'cancelled')))) {
    io.stderr.write(`warning: ${unreadableText(other)}\n`);
  }
  return run;
}

function allOrOne(name: string): UserError {
  const message = '--all is for all runs; leave out the run, or --all';
  return new UserError({ code: 'E00', exitCode: EXIT.usage, message, next: ['aieval status --all', `aieval status ${shellWord(name)}`] });
}

async function all(io: CliIo, globals: Globals, store: Store): Promise<number> {
  const { allRuns, allRecord, allLines } = await import('./status-all.ts');
  const runs = await allRuns(store, io.now());
  const unreadable = unreadableOf(await store.allRuns());
  const { json, colour } = globals;
  const look = { columns: usableColumns(io.stdout, OFF_TERMINAL_COLUMNS), paint: painter(colour.stdout) };
  io.stdout.write(`${json ? jsonLine(allRecord(runs, unreadable)) : allLines(runs, unreadable, look).join('\n')}\n`);
  return EXIT.pass;
}

type Once = { readonly store: Store; readonly options: StatusOptions; readonly seen: Look };

async function once(io: CliIo, globals: Globals, { store, options, seen }: Once): Promise<number> {
  io.stdout.write(`${await text(io, globals, seen)}\n`);
  if (!globals.json) io.stdout.write(await othersText(io, store, seen.snapshot));
  return exitCode(options, seen.snapshot);
}

async function othersText(io: CliIo, store: Store, { run }: Snapshot): Promise<string> {
  const { otherRunsLine } = await import('./status-all.ts');
  const line = otherRunsLine(await store.listRuns(), run.runId, {
    columns: usableColumns(io.stdout, OFF_TERMINAL_COLUMNS),
    lead: io.notes.lead,
  });
  return line === null ? '' : `${line}\n`;
}

/** As `run` exited, as far as the store knows it. */
function exitCode({ exitStatus }: StatusOptions, { verdict, state, stoppedBy, totals }: Snapshot): number {
  if (exitStatus !== true) return EXIT.pass;
  if (state === 'paused') return EXIT.refused;
  const stops = stoppedBy === null ? [] : totals.waiting.map((waiting) => blockedCode(waiting, totals));
  return worst([exitCodeOf(verdict ?? 'incomplete'), ...stops]);
}

/** Loads only what the look is printed with: half of the time that a status takes is spent on loading. */
async function text(io: CliIo, globals: Globals, { snapshot, pace }: Look): Promise<string> {
  if (globals.json) {
    const [{ statusRecord }, { nextSteps }] = await Promise.all([import('./status-record.ts'), import('./next-steps.ts')]);
    const next = nextSteps(snapshot, io.cwd).map((step) => asTyped(step, io.notes.lead));
    return jsonLine(statusRecord(snapshot, pace, next));
  }
  const { statusLines } = await import('./status-screen.ts');
  const look = {
    columns: usableColumns(io.stdout, OFF_TERMINAL_COLUMNS),
    paint: painter(globals.colour.stdout),
    cwd: io.cwd,
    lead: io.notes.lead,
  };
  return statusLines(snapshot, pace, look).join('\n');
}
