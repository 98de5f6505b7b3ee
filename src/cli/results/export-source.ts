import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ResultsFile } from '../../artifacts/results-reader.ts';
import type { ResultLine } from '../../domain/result-line.ts';
import type { ExportSource } from '../../report/export/export-source.ts';
import type { CliIo } from '../io.ts';
import { openResults } from './results-source.ts';

/** A `results.jsonl` as often as an export reads it: opened again, or held in memory where it comes from a pipe and only once. */
export async function fileSource(io: CliIo, from: string): Promise<ExportSource> {
  const opened = await openResults(io, from);
  return { header: opened.header, lines: (await isFile(io, from)) ? fromFile(io, from, opened) : fromMemory(await allOf(opened)) };
}

async function isFile({ cwd }: CliIo, from: string): Promise<boolean> {
  if (from === '-') return false;
  return await stat(resolve(cwd, from)).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

/** The first reading goes on where the header was read. */
function fromFile(io: CliIo, from: string, opened: ResultsFile): ExportSource['lines'] {
  let unread: ResultsFile | null = opened;
  return async function* read() {
    const file = unread ?? (await openResults(io, from));
    unread = null;
    yield* file.lines;
  };
}

function fromMemory(lines: readonly ResultLine[]): ExportSource['lines'] {
  return async function* read() {
    yield* lines;
  };
}

async function allOf({ lines }: ResultsFile): Promise<readonly ResultLine[]> {
  const all: ResultLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
}
