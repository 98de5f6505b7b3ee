import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import { areFilesHere } from '../../engine/files-here.ts';
import type { Projection } from '../../engine/projections.ts';
import { rebuildFiles } from '../../engine/unwritten.ts';
import { type WrittenReport, writeReport } from '../../engine/write-report.ts';
import { addressBase, pathBase } from '../../report/html/artifacts-base.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { ReportOptions } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findRun } from '../jobs/find-run.ts';
import { tellLatestPart } from '../jobs/tell-part.ts';
import { copyFolder, folderHere, makeCopyFolder, ownFilesText } from '../run/run-folder.ts';
import type { StatePlace } from '../state-folder.ts';
import { shortPath } from '../terminal/short-path.ts';
import { packageVersion } from '../version.ts';
import { openFile } from './open-file.ts';
import { pageAssets } from './report-assets.ts';

const REPORT_FILE = 'report.html';

/** `aieval report [RUN]`: writes report.html and prints its path. Brings the run's files, which it links to, up to date. */
export async function reportCommand(io: CliIo, globals: Globals, name: string, options: ReportOptions): Promise<number> {
  const written = await withStore(io, globals, async (store, place) => {
    const run = await findRun(store, name);
    await tellLatestPart(io, name, { quiet: globals.quiet, store, run });
    const folder = folderHere(store, run, place);
    const path = options.output === undefined ? reportPath(store, run, place) : await filePath(io, options.output);
    if (isAmongOwnFiles(store, run, place) && options.output === undefined && !globals.quiet)
      io.stderr.write(`note: ${ownFilesText(run)}: among its own files\n`);
    const artifactsBase = baseOf(folder, path, options.artifactUrl);
    const assets = await pageAssets();
    const projection = { store, run, version: packageVersion(), writeHtml: writeHtmlOutput };
    // Its links lead into the job folders.
    await rebuildFiles(projection, (message) => io.stderr.write(`warning: ${message}\n`));
    return await writeReport(projection, { path, docs: options.docs, artifactsBase, assets });
  });
  tell(io, globals, written);
  if (options.open === true) await openFile(io, written.path);
  return EXIT.pass;
}

/** Writes report.html beside the run's other files, for a manifest whose `outputs` name it. */
export async function writeHtmlOutput(projection: Projection, onWarning: (message: string) => void): Promise<void> {
  const path = join(projection.run.outDir, REPORT_FILE);
  const { warnings } = await writeReport(projection, { path, docs: 'cited', artifactsBase: '', assets: await pageAssets() });
  for (const warning of warnings) onWarning(warning);
}

/** Of a run that was started on this machine, from another folder than the one that is asked in. */
function isAmongOwnFiles(store: Store, run: RunRow, place: StatePlace): boolean {
  return store.spansMachines && areFilesHere({ store, run }) && resolve(copyFolder(place, run)) !== run.outDir;
}

/** In the run's own folder, or that of a copy, which it may begin. */
function reportPath(store: Store, run: RunRow, place: StatePlace): string {
  if (areFilesHere({ store, run })) return join(run.outDir, REPORT_FILE);
  return join(makeCopyFolder(place, run), REPORT_FILE);
}

function tell({ stdout, stderr, cwd }: CliIo, { json }: Globals, { path, bytes, warnings }: WrittenReport): void {
  for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
  stdout.write(json ? `${jsonLine({ v: 1, path, bytes, warnings })}\n` : `${shortPath(path, cwd)}\n`);
}

/** Throws `UserError` where a folder stands. */
async function filePath({ cwd }: CliIo, output: string): Promise<string> {
  const path = resolve(cwd, output);
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return path;
  const next = [`aieval report -o ${join(output, REPORT_FILE)}`];
  throw new UserError({ code: 'E00', exitCode: EXIT.usage, message: `-o: ${output} is a folder, expected a file`, next });
}

/** `null`: no links, where the job folders are on another machine alone. */
function baseOf(folder: string | null, path: string, artifactUrl: string | undefined): string | null {
  if (artifactUrl !== undefined) return addressBase(artifactUrl);
  return folder === null ? null : pathBase(relative(dirname(path), folder));
}
