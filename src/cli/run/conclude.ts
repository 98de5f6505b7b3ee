import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OUTPUT_FILES } from '../../artifacts/run-files.ts';
import { UserError } from '../../domain/errors.ts';
import type { Reason } from '../../domain/reason.ts';
import { runVerdict } from '../../domain/run.ts';
import { areFilesHere } from '../../engine/files-here.ts';
import { asOnlyWriter, LONGEST_WRITE_MS } from '../../engine/files-writer.ts';
import { readSummary } from '../../engine/projections.ts';
import { allFiles, busyText } from '../../engine/unwritten.ts';
import type { WorkEnd } from '../../engine/work-loop.ts';
import type { RunRow, RunTotals } from '../../store/rows.ts';
import { runGone } from '../../store/run-gone.ts';
import type { Store } from '../../store/store.ts';
import { readCauses } from '../display/causes.ts';
import type { Display } from '../display/display.ts';
import type { RunOutcome } from '../display/outcome.ts';
import { blockedCode, EXIT, exitCodeOf, worst } from '../exit-codes.ts';
import { writeHtml } from '../results/html-output.ts';
import { openCost } from '../status/open-cost.ts';
import { packageVersion } from '../version.ts';
import { runHere } from './run-here.ts';
import type { Stop } from './stop.ts';

/** A run that this process has done its part of. */
export type Conclusion = {
  readonly store: Store;
  readonly run: RunRow;
  readonly display: Display;
  readonly stop: Stop;
  readonly end: WorkEnd;
  readonly durationMs: number;
  readonly nowMs: number;
  /** The manifest that this process started the run with; absent: it took it from the store. */
  readonly startedWith?: string | undefined;
  readonly exitZero: boolean;
  /** False where nothing was done that the files could tell. */
  readonly withFiles?: boolean;
  /** Hears why the files could not be written, which then is one more exit code of the run; without it that is thrown. */
  readonly onUnwritten?: (error: UserError) => void;
  /** False for a worker that goes on with other runs: the process does not exit with this run's code. */
  readonly isLast?: boolean;
  /** Reasons of which all failed jobs were asked again. */
  readonly askedAgain?: readonly Reason[];
  /** Done when the files are written, before the outcome is told. */
  readonly beforeOutcome?: (run: RunRow) => Promise<void>;
};

/** Writes a run's files and tells how it stands now. Returns the exit code. Throws `UserError` for a run that is gone. */
export async function conclude(conclusion: Conclusion): Promise<number> {
  const { store, display, stop, end, exitZero, withFiles = true, durationMs, nowMs, isLast = true, askedAgain = [] } = conclusion;
  const run = await store.getRun(conclusion.run.runId);
  if (run === null) throw runGone(conclusion.run.runId);
  const filesCode = withFiles ? await writeFiles({ ...conclusion, run }) : [];
  await conclusion.beforeOutcome?.(run);
  const totals = await store.runTotals(run.runId);
  const verdict = runVerdict(run.state, totals.results, run.settings.gate);
  const codes = [...exitCodes({ end, stopped: stop.exitCode(), run, totals, verdictCode: exitCodeOf(verdict) }), ...filesCode];
  const strongest = worst(codes);
  const exitCode = exitZero && strongest === EXIT.gate ? EXIT.pass : strongest;
  const judged = { run: runHere(run, conclusion), verdict, codes, exitCode, totals, causes: await readCauses(store, run) };
  const stoppedBy = end.kind === 'blocked' ? end.waiting : [];
  display.onFinished({
    ...judged,
    durationMs,
    nowMs,
    stoppedBy,
    ...(await openCost(store, run, totals.waiting)),
    isLast,
    askedAgain,
    ...(await surroundings(conclusion, run)),
    withFiles,
  });
  return exitCode;
}

/** What stands beside the run's own numbers. */
async function surroundings(
  { store, display }: Conclusion,
  run: RunRow,
): Promise<Pick<RunOutcome, 'isLatest' | 'outputs' | 'filesHere' | 'summary'>> {
  return {
    isLatest: (await store.listRuns())[0]?.runId === run.runId,
    outputs: run.manifest.outputs.map((kind) => OUTPUT_FILES[kind]).filter((name) => existsSync(join(run.outDir, name))),
    filesHere: areFilesHere({ store, run }),
    summary: display.wantsSummary === true ? await readSummary({ store, run, version: packageVersion() }) : null,
  };
}

/** The exit code of files that could not be written, if any. */
async function writeFiles(conclusion: Conclusion): Promise<readonly number[]> {
  const { onUnwritten } = conclusion;
  try {
    await writeAllFiles(conclusion);
    return [];
  } catch (error) {
    if (onUnwritten === undefined || !(error instanceof UserError)) throw error;
    onUnwritten(error);
    return [error.exitCode];
  }
}

/**
 * Whoever is told to leave now leaves the files to another command rather than wait for another writer; and those of a folder on another
 * machine to that.
 */
async function writeAllFiles({ store, run, display, stop }: Conclusion): Promise<void> {
  if (!areFilesHere({ store, run })) return;
  const onWarning = (message: string): void => display.onEvent({ kind: 'warning', message });
  const projection = { store, run, version: packageVersion(), onWarning, writeHtml };
  const patience = { limitMs: LONGEST_WRITE_MS, giveUp: stop.signals.now };
  if ((await asOnlyWriter(projection, patience, allFiles(projection))) !== 'busy') return;
  onWarning(busyText(projection));
}

function exitCodes(input: {
  readonly end: WorkEnd;
  readonly stopped: number | null;
  readonly run: RunRow;
  readonly totals: RunTotals;
  readonly verdictCode: number;
}): number[] {
  const { end, stopped, run, totals, verdictCode } = input;
  const codes = [verdictCode];
  if (stopped !== null) codes.push(stopped);
  if (run.state === 'cancelled') codes.push(EXIT.incomplete);
  if (run.state === 'paused') codes.push(EXIT.refused);
  if (end.kind === 'blocked') codes.push(...end.waiting.map((waiting) => blockedCode(waiting, totals)));
  return codes;
}
