import { basename, dirname, join } from 'node:path';
import type { NewRun } from './plan-rows.ts';

/** Where a joined run's files go: the joiner named its folder after a run that was never opened, so there it gets the name of the joined one. */
export function outDirOfJoined({ outDir, runId }: Pick<NewRun, 'outDir' | 'runId'>, joinedRunId: string): string {
  return basename(outDir) === runId ? join(dirname(outDir), joinedRunId) : outDir;
}
