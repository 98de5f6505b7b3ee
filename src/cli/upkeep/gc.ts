import { existsSync } from 'node:fs';
import { unmarkCopied } from '../../artifacts/copied-folder.ts';
import { type Removal, removeRunFiles } from '../../artifacts/remove-run.ts';
import { UserError } from '../../domain/errors.ts';
import { jsonLine, oneLine } from '../../domain/hostile-text.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { GcOptions } from '../commands/options.ts';
import { canAsk, confirm } from '../confirm.ts';
import { openState } from '../context.ts';
import { EXIT, worst } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { counted } from '../terminal/format.ts';
import { type DoomedRun, type GcPlan, planGc, storedBefore } from './gc-plan.ts';
import { doneText, gcRecord, planLines, planText } from './gc-screen.ts';

/** `aieval gc`: removes old runs with their files, old answers, and what nothing refers to any more. Says first what would go. */
export async function gcCommand(io: CliIo, globals: Globals, options: GcOptions): Promise<number> {
  const { store, place } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  try {
    const { keepDays, keepRuns, cacheDays = null } = options;
    const plan = await planGc(store, place, { nowMs: io.now(), keepDays, keepRuns, cacheDays });
    for (const { runId, jobs } of plan.held) {
      const open = `${counted(jobs, 'job')} of it ${jobs === 1 ? 'is' : 'are'} not ended`;
      const way = asTyped(`aieval cancel ${runId}`, io.notes.lead);
      io.stderr.write(`note: run ${runId} stays: ${open}; ${way} ends what nobody works on\n`);
    }
    if (options.dryRun === true) return show(io, globals, plan);
    if (!isEmpty(plan) && options.yes !== true && !(await agreed(io, globals, plan, options))) return EXIT.pass;
    return await carryOut(io, globals, store, plan);
  } finally {
    await store.close();
  }
}

function isEmpty({ runs, cacheEntries, unusedRows }: GcPlan): boolean {
  return runs.length + cacheEntries + unusedRows === 0;
}

function show(io: CliIo, globals: Globals, plan: GcPlan): number {
  if (globals.json) io.stdout.write(`${jsonLine(gcRecord(plan, true))}\n`);
  else
    io.stdout.write(`${[...planLines(plan, io), isEmpty(plan) ? 'Nothing to remove.' : `Would remove ${planText(plan)}.`].join('\n')}\n`);
  return EXIT.pass;
}

/** A person says yes, or the command line did: a script that forgot to is shown the plan and told how. */
async function agreed(io: CliIo, globals: Globals, plan: GcPlan, options: GcOptions): Promise<boolean> {
  if (!canAsk(io)) {
    show(io, globals, plan);
    const message = `gc would remove ${planText(plan)}; nothing was removed, because nobody can be asked here.`;
    throw new UserError({ code: 'E36', exitCode: EXIT.usage, message, next: [commandOf(options)] });
  }
  for (const line of planLines(plan, io)) io.stderr.write(`${line}\n`);
  if (await confirm(io, `Remove ${planText(plan)}?`)) return true;
  if (globals.json) io.stdout.write(`${jsonLine(gcRecord(plan, true))}\n`);
  else io.stderr.write('Nothing was removed.\n');
  return false;
}

function commandOf({ keepDays, keepRuns, cacheDays }: GcOptions): string {
  const cache = cacheDays === undefined ? '' : ` --cache-days ${cacheDays}`;
  return `aieval gc --keep-days ${keepDays} --keep-runs ${keepRuns}${cache} --yes`;
}

async function carryOut(io: CliIo, globals: Globals, store: Store, plan: GcPlan): Promise<number> {
  const removed: DoomedRun[] = [];
  const codes: number[] = [];
  for (const doomed of plan.runs) {
    const code = await removeRun(io, store, doomed);
    if (code === EXIT.pass) removed.push(doomed);
    codes.push(code);
  }
  if (plan.cacheBeforeMs !== null) await store.invalidateCache(storedBefore(plan.cacheBeforeMs));
  const unused = await store.pruneUnused({ dryRun: false });
  // What goes with its run was counted as unused by the plan; what stayed was counted there, too.
  const whole = removed.length === plan.runs.length;
  const done = whole ? plan : { ...plan, runs: removed, unusedRows: unused.rows, unusedBytes: unused.sizeBytes };
  const compaction = await store.compact();
  if (globals.json) io.stdout.write(`${jsonLine(gcRecord(done, false))}\n`);
  else if (!globals.quiet)
    io.stdout.write(`${isEmpty(done) ? 'Nothing to remove.' : asTyped(doneText(done, compaction), io.notes.lead)}\n`);
  return worst(codes);
}

/**
 * Files before rows: a kill in between leaves a run whose files `aieval summary` writes again, never files of a run that nobody
 * knows. What cannot go now stays whole, and is told.
 */
async function removeRun(io: CliIo, store: Store, { run, folder, elsewhere }: DoomedRun): Promise<number> {
  const { runId } = run;
  const lock = await store.lockFiles(runId);
  if (lock === null) return stays(io, runId, 'another process is writing its files', EXIT.refused);
  let isGone = false;
  try {
    const removal = folder === null ? null : await removeRunFiles(folder);
    // What stayed would pass for the whole, if a kill came now.
    if (removal === 'others' && !elsewhere) await store.clearArtifacts(runId);
    await store.pruneRun(runId);
    isGone = true;
    if (elsewhere) tellElsewhere(io, run, folder);
    else tellWhatStays(io, run, folder, removal);
    return EXIT.pass;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    await store.clearArtifacts(runId);
    return stays(io, runId, error.message, error.exitCode);
  } finally {
    await (isGone ? lock.discard() : lock.release());
  }
}

function stays(io: CliIo, runId: string, why: string, code: number): number {
  io.stderr.write(`warning: run ${runId} stays: ${why}\n`);
  return code;
}

const WHY_STAYS: Readonly<Record<Exclude<Removal, 'gone'>, string>> = {
  others: 'it holds something that aieval did not write',
  link: 'it is a link',
  empty: 'it is empty, but its parent folder cannot be written',
};

/** A copy that was here is gone with its mark; the files themselves can only be removed where they are. */
function tellElsewhere(io: CliIo, { runId, outDir }: RunRow, copy: string | null): void {
  if (copy !== null) unmarkCopied(copy);
  io.stderr.write(`note: the files of ${runId} stay on the machine that started it, in ${oneLine(outDir)}\n`);
}

/** A person may look at it, and remove it. */
function tellWhatStays(io: CliIo, { outDir }: RunRow, folder: string | null, removal: Removal | null): void {
  const path = folder ?? outDir;
  const why =
    removal === null ? 'it may belong to another database, of which this one is a copy' : removal === 'gone' ? null : WHY_STAYS[removal];
  if (why !== null && (removal !== null || existsSync(path))) io.stderr.write(`note: ${oneLine(path)} stays: ${why}\n`);
}
