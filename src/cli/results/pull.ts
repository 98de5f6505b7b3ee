import { resolve } from 'node:path';
import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import { copyFiles } from '../../engine/copy-files.ts';
import { areFilesHere } from '../../engine/files-here.ts';
import { asOnlyWriter, LONGEST_WRITE_MS } from '../../engine/files-writer.ts';
import type { Projection } from '../../engine/projections.ts';
import { allFiles, busyText } from '../../engine/unwritten.ts';
import type { RunRow } from '../../store/rows.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findRun } from '../jobs/find-run.ts';
import { copyFolder, makeCopyFolder, ownFilesText } from '../run/run-folder.ts';
import { probeFolder } from '../state-folder.ts';
import { shortPath } from '../terminal/short-path.ts';
import { packageVersion } from '../version.ts';
import { writeHtml } from './html-output.ts';

/**
 * `aieval artifacts pull [RUN]`: writes all files of a run onto this machine, from the store alone, and prints their folder. Of a run whose
 * own folder is here, and unless another was named, it is that one.
 */
export async function pullCommand(io: CliIo, globals: Globals, name: string): Promise<number> {
  const pulled = await withStore(io, globals, async (store, place) => {
    const run = await findRun(store, name);
    const projection: Projection = { store, run, version: packageVersion(), writeHtml, onWarning: (message) => warn(io, message) };
    const isOwn = areFilesHere({ store, run }) && (globals.out === null || resolve(copyFolder(place, run)) === run.outDir);
    const folder = isOwn ? run.outDir : makeCopyFolder(place, run);
    await (isOwn ? writeOwn(projection) : copyFiles(projection, folder));
    return { run, folder, isOwn };
  });
  tell(io, globals, pulled);
  return EXIT.pass;
}

/** Whatever counts as written: files may be gone, or have been changed. */
async function writeOwn(projection: Projection): Promise<void> {
  const { store, run } = projection;
  probeFolder(run.outDir);
  const before = (): Promise<void> => store.clearArtifacts(run.runId);
  if ((await asOnlyWriter(projection, { limitMs: LONGEST_WRITE_MS }, { before, ...allFiles(projection) })) !== 'busy') return;
  throw new UserError({
    code: 'E20',
    exitCode: EXIT.refused,
    message: busyText(projection),
    next: [`aieval artifacts pull ${run.runId}`],
  });
}

function warn({ stderr }: CliIo, message: string): void {
  stderr.write(`warning: ${message}\n`);
}

type Pulled = { readonly run: RunRow; readonly folder: string; readonly isOwn: boolean };

function tell({ stdout, stderr, cwd }: CliIo, { json, quiet }: Globals, { run, folder, isOwn }: Pulled): void {
  const isOver = run.state === 'finished' || run.state === 'cancelled';
  stdout.write(
    json ? `${jsonLine({ v: 1, run: run.runId, state: run.state, final: isOver, path: folder })}\n` : `${shortPath(folder, cwd)}\n`,
  );
  if (isOwn && !quiet) stderr.write(`note: ${ownFilesText(run)}: its own files, anew\n`);
  if (!isOver && !quiet) stderr.write(`note: run ${run.runId} is not over; what comes later is not in these files\n`);
}
