import { UserError } from '../../domain/errors.ts';
import { oneLine } from '../../domain/hostile-text.ts';
import { nearest } from '../../domain/nearest.ts';
import type { RunRow, UnreadableRun } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { isReadable, unreadableError } from '../../store/stored-run.ts';
import { EXIT } from '../exit-codes.ts';

const LATEST = 'latest';
const SUGGESTIONS = 3;

/**
 * The run that a person means: its id, an unambiguous beginning of it, or `latest`. Throws `UserError` that names the closest ones, and for
 * one that this version cannot read: no older one is meant in its place.
 */
export async function findRun(store: Pick<Store, 'getRun' | 'allRuns'>, name: string): Promise<RunRow> {
  const exact = name === LATEST ? null : await store.getRun(name);
  const run = exact ?? meant(await store.allRuns(), name);
  if (!isReadable(run)) throw unreadableError(run);
  return run;
}

function meant(runs: readonly (RunRow | UnreadableRun)[], name: string): RunRow | UnreadableRun {
  const [first] = runs;
  if (first === undefined) throw noRuns();
  if (name === LATEST) return first;
  const matches = runs.filter((run) => name !== '' && run.runId.startsWith(name));
  const [only] = matches;
  if (only === undefined) throw unknownRun(name, nearest(name, idsOf(runs), SUGGESTIONS), 'no run is called');
  if (matches.length > 1) throw unknownRun(name, idsOf(matches).slice(0, SUGGESTIONS), `${matches.length} runs begin with`);
  return only;
}

function idsOf(runs: readonly (RunRow | UnreadableRun)[]): string[] {
  return runs.map((run) => run.runId);
}

function noRuns(): UserError {
  return new UserError({
    code: 'E30',
    exitCode: EXIT.usage,
    message: 'no run has been started here yet',
    next: ['aieval run manifest.json'],
  });
}

function unknownRun(name: string, closest: readonly string[], what: string): UserError {
  const message = `${what} "${oneLine(name)}". Closest: ${closest.join(', ')}`;
  return new UserError({ code: 'E31', exitCode: EXIT.usage, message, next: [`aieval status ${closest[0] ?? LATEST}`] });
}
