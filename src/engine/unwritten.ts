import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OUTPUT_FILES } from '../artifacts/run-files.ts';
import { UserError } from '../domain/errors.ts';
import type { Store } from '../store/store.ts';
import { areFilesHere } from './files-here.ts';
import { asOnlyWriter, type FilesWork, isCurrent, LONGEST_WRITE_MS, type Patience } from './files-writer.ts';
import { type Projection, type WriteHtml, writePendingArtifacts, writeRunFiles } from './projections.ts';

type OnWarning = (message: string) => void;

/**
 * Writes the files of runs that ended and whose process died, or worked on another machine, before it wrote them. One that is being written
 * now is left to its writer, one whose folder is another machine's to that.
 */
export async function writeUnwritten(store: Store, version: string, onWarning: OnWarning, writeHtml?: WriteHtml): Promise<void> {
  const html = writeHtml === undefined ? {} : { writeHtml };
  const runs = (await store.runsWithoutSummary()).filter((run) => areFilesHere({ store, run }));
  for (const run of runs) await tried({ store, run, version, ...html }, { limitMs: 0 }, onWarning);
}

/**
 * Brings a run's files up to its rows; all of them where the folder is gone, none where nothing is missing or the folder is another
 * machine's. A folder that cannot be written is told, and left for the next time: it must stop neither a new run nor a reader.
 */
export async function rebuildFiles(projection: Projection, onWarning: OnWarning): Promise<void> {
  if (!areFilesHere(projection) || (await areWritten(projection))) return;
  const end = await tried(projection, { limitMs: LONGEST_WRITE_MS }, onWarning);
  if (end === 'busy') onWarning(busyText(projection));
}

const FILES = ['manifest.resolved.json', 'texts', 'jobs', 'results.jsonl', 'summary.md'];

/** Of a run that goes on, something may change at any time. */
async function areWritten({ store, run }: Projection): Promise<boolean> {
  if (run.state !== 'finished' && run.state !== 'cancelled') return false;
  const files = [...FILES, ...run.manifest.outputs.map((kind) => OUTPUT_FILES[kind])];
  return files.every((name) => existsSync(join(run.outDir, name))) && (await isCurrent(store, run.runId));
}

/** What a person is told when the files could not be written because somebody else holds on to them. */
export function busyText({ run: { runId } }: Projection): string {
  return `the files of ${runId} are not up to date: another process is writing them and does not go on. Any later command mends them.`;
}

/** Everything that is written about a run, of what is not written yet. */
export function allFiles(projection: Projection): FilesWork {
  return {
    write: async () => {
      await writePendingArtifacts(projection);
      await writeRunFiles(projection);
    },
  };
}

async function tried(quiet: Projection, patience: Patience, onWarning: OnWarning): Promise<'busy' | 'done'> {
  const projection = { ...quiet, onWarning };
  const { store, run } = projection;
  const before = async (): Promise<void> => {
    if (!existsSync(join(run.outDir, 'jobs'))) await store.clearArtifacts(run.runId);
  };
  try {
    return (await asOnlyWriter(projection, patience, { before, ...allFiles(projection) })) === 'busy' ? 'busy' : 'done';
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onWarning(`the files of ${run.runId} are not written: ${error.message}`);
    return 'done';
  }
}
