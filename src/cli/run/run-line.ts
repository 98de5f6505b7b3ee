import { selectionWords } from '../../domain/selection.ts';
import type { RunRow, Waiting } from '../../store/rows.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { shortPath } from '../terminal/short-path.ts';
import type { RunHere } from './run-here.ts';

/** With what a run was started, and whether that is here. */
export type StartedManifest = Pick<RunHere, 'manifestPath' | 'manifestHere'>;

type Started = StartedManifest & Pick<RunHere, 'settings'>;

/**
 * The command that starts a run's work anew, or continues the run that holds its identity, from the folder `cwd`; `more`: further words of
 * it. Where the manifest is not, it says where to type it.
 */
export function runLine(run: Started, cwd: string, more: readonly string[] = []): string {
  const { selection, profile, cacheMode } = run.settings;
  const words = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(selection === undefined ? [] : selectionWords(selection)),
    ...(cacheMode === 'off' ? ['--no-cache'] : []),
    ...more,
  ];
  return manifestLine(run, cwd, ['run', ...words]);
}

/** A command on the manifest of a run, its name first. */
export function manifestLine(
  { manifestPath, manifestHere = true }: StartedManifest,
  cwd: string,
  [command = '', ...words]: readonly string[],
): string {
  const path = manifestHere ? shortPath(manifestPath, cwd) : manifestPath;
  const line = [`aieval ${command}`, ...[path, ...words].map(shellWord)].join(' ');
  return manifestHere ? line : `${line} (on the machine that has this file)`;
}

/** The command that does the whole of a manifest of which a run is a part: what is known is not asked again. */
export function wholeLine(run: Started, cwd: string): string {
  return runLine({ ...run, settings: { ...run.settings, selection: undefined } }, cwd);
}

/** The command of a worker that may do all that the run's open work waits for. */
export function workerLine({ runId }: Pick<RunRow, 'runId'>, waiting: readonly Pick<Waiting, 'tags'>[] = []): string {
  return [`aieval worker ${runId}`, ...tagWords(waiting)].join(' ');
}

/** `--tags` with what open work waits for and no living worker has; nothing where that is nothing. */
export function tagWords(waiting: readonly Pick<Waiting, 'tags'>[]): readonly string[] {
  const tags = [...new Set(waiting.flatMap((each) => each.tags ?? []))].sort();
  return tags.length === 0 ? [] : ['--tags', tags.join(',')];
}

type Continued = Started & Pick<RunRow, 'runId' | 'holdsIdentity' | 'plannedAtMs'>;

/**
 * The command that continues this unfinished run. A worker takes up one whose identity a newer run took, which is not joined any more, and
 * one whose manifest is not here, if it was planned to its end; if not, the first goes on nowhere, and the other where its manifest is.
 */
export function continueLine(run: Continued, cwd: string, waiting: readonly Pick<Waiting, 'tags'>[] = []): string {
  if (run.plannedAtMs === null) return run.holdsIdentity ? runLine(run, cwd) : `aieval cancel ${run.runId}`;
  return canStart(run) ? runLine(run, cwd) : workerLine(run, waiting);
}

/** Whether its manifest leads to the run, and is here. */
export function canStart({ holdsIdentity, manifestHere = true }: Pick<RunHere, 'holdsIdentity' | 'manifestHere'>): boolean {
  return holdsIdentity && manifestHere;
}

/** The command that continues it once what paused a provider is mended: a start of it opens that, a worker alone does not. */
export function afterMending(run: Continued, cwd: string, waiting: readonly Pick<Waiting, 'tags'>[] = []): string {
  const opening = canStart(run) || run.plannedAtMs === null ? '' : `aieval resume ${run.runId} && `;
  return `${opening}${continueLine(run, cwd, waiting)}`;
}
