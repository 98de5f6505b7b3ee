import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../../domain/errors.ts';
import { jsonLine, oneLine } from '../../domain/hostile-text.ts';
import type { CacheEntry, Imported } from '../../store/cache-store.ts';
import type { Store } from '../../store/store.ts';
import { openState } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { openPool } from '../open-pool.ts';
import { counted } from '../terminal/format.ts';
import { createEntryCheck, type EntryCheck } from './cache-entry-check.ts';
import { cacheLines, FileRefused, STDIN } from './cache-import-file.ts';

/** Entries hold whole prompts: so many, or so many characters, are in memory at once. */
const MOST_ENTRIES = 25;
const MOST_CHARACTERS = 4 * 1024 * 1024;

const STDIN_NAME = 'standard input';
const SHOWN_PROBLEMS = 5;
const KEPT_PROBLEMS = 100;

type Problem = { readonly file: string; readonly line: number | null; readonly problem: string };

/** What became of all files together. */
class ImportReport {
  readonly counts = { added: 0, replaced: 0, kept: 0, conflicts: 0 };
  /** Lines that are damaged, or say what cannot be. */
  refused = 0;
  /** Files that are no caches, or were not read to their end. */
  readonly unread: { readonly file: string; readonly why: FileRefused }[] = [];
  readonly problems: Problem[] = [];

  add(counts: Imported): void {
    for (const fate of ['added', 'replaced', 'kept', 'conflicts'] as const) this.counts[fate] += counts[fate];
  }

  refuseLine(file: string, line: number, problem: string): void {
    this.refused += 1;
    this.#keep({ file: nameOf(file), line, problem });
  }

  refuseFile(file: string, why: FileRefused): void {
    this.unread.push({ file, why });
    this.#keep({ file: nameOf(file), line: why.line, problem: why.message });
  }

  #keep(problem: Problem): void {
    if (this.problems.length < KEPT_PROBLEMS) this.problems.push(problem);
  }
}

function nameOf(file: string): string {
  return file === STDIN ? STDIN_NAME : oneLine(file);
}

/**
 * `aieval cache import FILE...|-`: merges exported answers. Each line stands for itself, so that a bad one, or a bad file, costs no
 * other: the good ones are taken in, the bad ones named, and the command fails. Doing it again changes nothing.
 */
export async function cacheImportCommand(io: CliIo, globals: Globals, files: readonly string[]): Promise<number> {
  const report = new ImportReport();
  const there = files.filter((file) => isThere(io, file, report));
  if (there.length > 0) await importFiles(io, globals, there, report);
  if (report.refused + report.unread.length > 0) throw importError(report);
  return EXIT.pass;
}

function isThere(io: CliIo, file: string, report: ImportReport): boolean {
  if (file === STDIN) return true;
  const stats = statSync(resolve(io.cwd, file), { throwIfNoEntry: false });
  if (stats?.isDirectory() === false) return true;
  report.refuseFile(file, new FileRefused(stats === undefined ? 'not found' : 'a folder', { isUnreadable: true }));
  return false;
}

async function importFiles(io: CliIo, globals: Globals, files: readonly string[], report: ImportReport): Promise<void> {
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: false });
  const pool = openPool();
  try {
    const check = createEntryCheck(pool, io.now);
    for (const file of files) await importFile({ io, store, check, report, file });
    say(io, globals, report);
  } finally {
    await pool.close();
    await store.close();
  }
}

type Import = {
  readonly io: CliIo;
  readonly store: Store;
  readonly check: EntryCheck;
  readonly report: ImportReport;
  readonly file: string;
};

type NumberedEntry = { readonly number: number; readonly entry: CacheEntry };

async function importFile(input: Import): Promise<void> {
  const { io, report, file } = input;
  let batch: NumberedEntry[] = [];
  let characters = 0;
  try {
    for await (const line of cacheLines(io, file)) {
      if ('problem' in line) report.refuseLine(file, line.number, line.problem);
      else {
        batch.push(line);
        characters += line.characters;
      }
      if (batch.length < MOST_ENTRIES && characters < MOST_CHARACTERS) continue;
      await takeIn(input, batch);
      [batch, characters] = [[], 0];
    }
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    report.refuseFile(file, error);
  }
  await takeIn(input, batch);
}

async function takeIn({ store, check, report, file }: Import, batch: readonly NumberedEntry[]): Promise<void> {
  const problems = await Promise.all(batch.map(({ entry }) => check(entry)));
  for (const [index, { number }] of batch.entries()) {
    const problem = problems[index] ?? null;
    if (problem !== null) report.refuseLine(file, number, problem);
  }
  report.add(await store.importCache(batch.flatMap(({ entry }, index) => (problems[index] === null ? [entry] : []))));
}

function say(io: CliIo, globals: Globals, { counts, refused, unread, problems }: ImportReport): void {
  if (globals.json) io.stdout.write(`${jsonLine({ v: 1, ...counts, refused, unread: unread.length, problems })}\n`);
  else if (!globals.quiet) io.stdout.write(`${importedText(counts)}\n`);
}

function importedText({ added, replaced, kept, conflicts }: Imported): string {
  const others = conflicts === 0 ? '' : `; ${conflicts} left out, because another answer of the same call is known here`;
  return `Imported ${counted(added + replaced, 'answer')}: ${added} new, ${replaced} newer; ${kept} known already${others}.`;
}

function importError({ refused, unread, problems }: ImportReport): UserError {
  const lines = problems.map(({ file, line, problem }) => `${file}${line === null ? '' : `:${line}`}: ${problem}`);
  return new UserError({
    code: refused === 0 && unread.every(({ why }) => why.isUnreadable) ? 'E01' : 'E02',
    exitCode: EXIT.usage,
    message: refused === 0 && lines.length === 1 ? lines.join() : listText(refused, unread.length, lines),
    next: [...new Set([...unread.flatMap(({ why }) => why.next), ...(refused === 0 ? [] : [AGAIN])])],
  });
}

const AGAIN = 'aieval cache export cache.jsonl, where the answers are; then import that';

function listText(refused: number, unread: number, lines: readonly string[]): string {
  const what = [...(refused === 0 ? [] : [counted(refused, 'line')]), ...(unread === 0 ? [] : [counted(unread, 'file')])].join(' and ');
  const shown = lines.slice(0, SHOWN_PROBLEMS);
  const rest = refused + unread - shown.length;
  return [`${what} refused; all else is imported`, ...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}
