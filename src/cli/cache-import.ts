import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../domain/errors.ts';
import { readCacheLine } from '../store/cache-file.ts';
import type { CacheEntry } from '../store/cache-store.ts';
import type { Store } from '../store/store.ts';
import { openState } from './context.ts';
import { EXIT } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { type NumberedLine, numberedLines } from './numbered-lines.ts';
import { counted } from './terminal/format.ts';

/** Entries hold whole prompts: so many, or so many characters, are in memory at once. */
const MOST_ENTRIES = 25;
const MOST_CHARACTERS = 4 * 1024 * 1024;

const STDIN = '-';
const STDIN_NAME = 'standard input';
const SHOWN_PROBLEMS = 5;
const KEPT_PROBLEMS = 100;

type Problem = { readonly file: string; readonly line: number; readonly problem: string };

type Imported = { added: number; replaced: number; kept: number; refused: number; readonly problems: Problem[] };

/**
 * `aieval cache import FILE...|-`: merges exported answers. Each line stands for itself, so that a bad one costs no other: the good
 * ones are taken in, the bad ones named, and the command fails. Doing it again changes nothing.
 */
export async function cacheImportCommand(io: CliIo, globals: Globals, files: readonly string[]): Promise<number> {
  for (const file of files) refuseMissing(io, file);
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: false });
  try {
    const imported: Imported = { added: 0, replaced: 0, kept: 0, refused: 0, problems: [] };
    for (const file of files) await importFile({ io, store, imported, file });
    const { added, replaced, kept } = imported;
    if (globals.json) io.stdout.write(`${JSON.stringify({ v: 1, ...imported })}\n`);
    else if (!globals.quiet)
      io.stdout.write(`Imported ${counted(added + replaced, 'answer')}: ${added} new, ${replaced} newer; ${kept} known already.\n`);
    if (imported.refused > 0) throw refusedLines(imported);
    return EXIT.pass;
  } finally {
    await store.close();
  }
}

function refuseMissing(io: CliIo, file: string): void {
  if (file === STDIN) return;
  const stats = statSync(resolve(io.cwd, file), { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) return;
  const message = stats === undefined ? `${file} not found` : `${file} is a folder`;
  throw new UserError({ code: 'E01', exitCode: EXIT.usage, message, next: ['aieval cache export cache.jsonl'] });
}

type Import = { readonly io: CliIo; readonly store: Store; readonly imported: Imported; readonly file: string };

async function importFile({ io, store, imported, file }: Import): Promise<void> {
  const name = file === STDIN ? STDIN_NAME : file;
  let batch: CacheEntry[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    const counts = await store.importCache(batch);
    for (const fate of ['added', 'replaced', 'kept'] as const) imported[fate] += counts[fate];
    batch = [];
    characters = 0;
  };
  let first = true;
  for await (const line of linesOf(io, file)) {
    const read = line.text === null ? { kind: 'fault' as const, problem: 'longer than a line can be' } : readCacheLine(line.text);
    if (first && read.kind !== 'header') throw notACache(name, line, read.kind === 'fault' ? read.problem : 'no header');
    first = false;
    if (read.kind === 'fault') refuse(imported, { file: name, line: line.number, problem: read.problem });
    if (read.kind !== 'entry') continue;
    batch.push(read.entry);
    characters += line.text?.length ?? 0;
    if (batch.length >= MOST_ENTRIES || characters >= MOST_CHARACTERS) await flush();
  }
  await flush();
}

function refuse(imported: Imported, problem: Problem): void {
  imported.refused += 1;
  if (imported.problems.length < KEPT_PROBLEMS) imported.problems.push(problem);
}

async function* linesOf(io: CliIo, file: string): AsyncGenerator<NumberedLine, void> {
  try {
    const stream = file === STDIN ? io.stdin() : createReadStream(resolve(io.cwd, file));
    yield* numberedLines(stream.setEncoding('utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!/^E[A-Z]+$/.test(code)) throw error;
    throw new UserError({ code: 'E01', exitCode: EXIT.usage, message: `cannot read ${file} (${code})`, cause: error });
  }
}

function notACache(file: string, { number }: NumberedLine, problem: string): UserError {
  const message = `${file}:${number}: not an exported cache (${problem}); nothing of it was imported`;
  return new UserError({ code: 'E02', exitCode: EXIT.usage, message, next: ['aieval cache export cache.jsonl'] });
}

function refusedLines({ refused, problems }: Imported): UserError {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(({ file, line, problem }) => `${file}:${line}: ${problem}`);
  const more = refused > shown.length ? [`and ${refused - shown.length} more`] : [];
  const message = [`${counted(refused, 'line')} refused; all others are imported`, ...shown, ...more].join('\n');
  return new UserError({ code: 'E02', exitCode: EXIT.usage, message, next: ['export the cache again and repeat the import'] });
}
