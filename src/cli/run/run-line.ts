import { selectionWords } from '../../domain/selection.ts';
import type { RunRow } from '../../store/rows.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { shortPath } from '../terminal/short-path.ts';

/** The command that starts a run's work anew, or continues the run that holds its identity, from the folder `cwd`. */
export function runLine({ manifestPath, settings }: Pick<RunRow, 'manifestPath' | 'settings'>, cwd: string): string {
  const { selection, profile, cacheMode } = settings;
  const words = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(selection === undefined ? [] : selectionWords(selection)),
    ...(cacheMode === 'off' ? ['--no-cache'] : []),
  ];
  return ['aieval run', shortPath(manifestPath, cwd), ...words].map((word, at) => (at === 0 ? word : shellWord(word))).join(' ');
}

/** The command that does the whole of a manifest of which a run is a part: what is known is not asked again. */
export function wholeLine({ manifestPath, settings }: Pick<RunRow, 'manifestPath' | 'settings'>, cwd: string): string {
  return runLine({ manifestPath, settings: { ...settings, selection: undefined } }, cwd);
}

/**
 * The command that continues this unfinished run. One whose identity a newer run took is not joined any more: a worker takes it up, if
 * it was planned to its end; if not, nobody can.
 */
export function continueLine(
  run: Pick<RunRow, 'runId' | 'manifestPath' | 'settings' | 'holdsIdentity' | 'plannedAtMs'>,
  cwd: string,
): string {
  if (run.holdsIdentity) return runLine(run, cwd);
  return `aieval ${run.plannedAtMs === null ? 'cancel' : 'worker'} ${run.runId}`;
}
