import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { FoundFile } from '../../documents/files/find-files.ts';
import type { Extraction, ScanCommand } from '../../domain/document.ts';
import { advised, withNext } from '../../domain/next-step.ts';
import type { ReadDocument } from '../../engine/read-documents.ts';
import { setCommand } from '../config/set-variable.ts';
import type { CliIo } from '../io.ts';
import { shellWord } from '../terminal/shell-word.ts';

/**
 * A document whose message tells how it is mended here: of a scan all steps, so that the next run does not find the scan again; of a
 * password that is not set, how it is set. `files` hold its file.
 */
export function withSteps(io: CliIo, document: ReadDocument, files: readonly FoundFile[]): ReadDocument {
  const { extraction } = document;
  if (extraction.ok || (extraction.scan === undefined && extraction.password !== 'missing')) return document;
  const file = files.find(({ documentId }) => documentId === document.documentId);
  const step = file === undefined ? null : stepOf(io, file, extraction);
  if (step === null) return document;
  return { ...document, extraction: { ...extraction, message: withNext(advised(extraction).what, step) } };
}

function stepOf(io: CliIo, file: FoundFile, { scan }: Extract<Extraction, { ok: false }>): string | null {
  if (scan !== undefined) return [...scanCommands(file, scan, io.cwd), placed(file, scan, io.cwd)].join(', then ');
  return file.entry.passwordEnv === null ? null : setCommand(io, file.entry.passwordEnv);
}

/** The commands that read a scan, to be typed in `cwd`; none where what they write is there. */
export function scanCommands({ path }: FoundFile, scan: ScanCommand, cwd: string): string[] {
  if (isRead(scan, cwd)) return [];
  // What reads the pages takes no packed file.
  const unpacking = /\.gz(?:ip)?$/i.test(path) ? [`gunzip --keep ${shellWord(relative(cwd, path))}`] : [];
  return [...unpacking, scan.command];
}

/** Whether the file that the command writes is there. */
export function isRead({ becomes }: ScanCommand, cwd: string): boolean {
  return existsSync(resolve(cwd, becomes));
}

/** A name is replaced; a glob would find the scan again, beside what came of it. */
function placed({ entry }: FoundFile, scan: ScanCommand, cwd: string): string {
  if (entry.literal) return `name ${scan.becomes} in its place in the manifest`;
  return `remove the scan or exclude it${isRead(scan, cwd) ? ` (its text is in ${scan.becomes})` : ''}`;
}
