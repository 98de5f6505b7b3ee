import { hostname } from 'node:os';
import { jsonLine } from '../../domain/hostile-text.ts';
import { shownLocation } from '../../store/location.ts';
import type { WorkerOptions } from '../commands/options.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { type LeftRun, leftText } from './left-runs.ts';

/** What a worker of all runs has done. */
export type WorkerEnd = { readonly exitCode: number; readonly runs: readonly string[]; readonly left: readonly LeftRun[] };

type Talk = Pick<Globals, 'json' | 'quiet'>;

/** Where a worker looks for work, and as whom: each of several on several machines. `location`: of the store. */
export function tellWorking(io: CliIo, { json, quiet }: Talk, location: string, options: WorkerOptions): void {
  if (json || quiet) return;
  const until = options.exitWhenIdle === true ? '' : ', also on later ones. Ctrl-C ends it';
  io.stderr.write(`Working on every unfinished run in ${shownLocation(location)}, ${asWhom(options)}${until}.\n`);
}

/** The same of one that is there before the first run. */
export function tellStandby(io: CliIo, { json, quiet }: Talk, location: string, options: WorkerOptions): void {
  if (json || quiet) return;
  io.stderr.write(`${shownLocation(location)} holds no runs yet; waiting for the first one, ${asWhom(options)}. Ctrl-C ends it.\n`);
}

function asWhom({ tags = [] }: WorkerOptions): string {
  return `as ${hostname()}, ${tags.length === 0 ? 'without tags' : `with tags ${tags.join(', ')}`}`;
}

/** `idle`: nothing was to do, and that is all. */
export function tellWorkerEnd(io: CliIo, { json, quiet }: Talk, { exitCode, runs, left }: WorkerEnd, idle: string): void {
  const rest = left.map(({ runId, why }) => ({ run: runId, why }));
  if (json) io.stdout.write(`${jsonLine({ v: 1, event: 'worker.finished', exitCode, runs, left: rest })}\n`);
  if (json || quiet) return;
  if (runs.length + left.length === 0 && exitCode === 0) io.stderr.write(`${idle}\n`);
  for (const one of left) io.stderr.write(asTyped(leftText(one), io.notes.lead));
}
