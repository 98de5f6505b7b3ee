import { type Dirent, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { oneLine } from '../../domain/hostile-text.ts';
import type { NameKind, StoredName, WantedNames } from '../../store/names.ts';
import { readNames } from '../../store/open.ts';
import { DEFAULT_RUN } from '../commands/command-parts.ts';
import { NO_CONFIG } from '../config/config-file.ts';
import { saidOf } from '../config/config-said.ts';
import { withEnvFiles } from '../config/env-file.ts';
import { envFolders } from '../config/env-folders.ts';
import { EXIT } from '../exit-codes.ts';
import { type Globals, type SaidOfStore, statedStore } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findState } from '../state-folder.ts';
import { type Candidate, type CompletionRequest, completionRequest, type Line } from './complete-request.ts';

const ABOUT_GRAPHEMES = 80;
/** No more than anybody reads. */
const MOST = 200;
/** Controls, also those that reorder what is read, and what nobody sees. */
const UNTYPABLE = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/u;

/**
 * `aieval complete --word=WORD -- WORDS`: how a command line can go on, for the script of a shell. Always exit 0, without a word of what
 * went wrong: a person who types is not to be disturbed.
 */
export async function completeCommand(io: CliIo, globals: Globals, program: Command, line: Line): Promise<number> {
  const request = completionRequest(program, line);
  const { next, prefix, beginning } = request;
  const candidates = await candidatesFor(io, globals, request);
  if (candidates === null) {
    io.stdout.write(`${next.kind}\n`);
    return EXIT.pass;
  }
  const fitting = candidates.filter(({ value }) => value.startsWith(beginning) && !UNTYPABLE.test(value));
  const lines = fitting.slice(0, MOST).map(({ value, about }) => `${prefix}${value}\t${oneLine(about, ABOUT_GRAPHEMES)}\n`);
  io.stdout.write(`words\n${lines.join('')}`);
  return EXIT.pass;
}

/** `null`: the shell knows better. */
async function candidatesFor(io: CliIo, globals: Globals, request: CompletionRequest): Promise<readonly Candidate[] | null> {
  const { next, beginning, given } = request;
  switch (next.kind) {
    case 'words':
      return next.candidates;
    case 'names':
      return await named(io, globals, request, next.names);
    case 'files':
    case 'folders': {
      // The shell would look in its own folder.
      const folder = given.get('-C');
      return folder === undefined ? null : filesIn(resolve(io.cwd, folder), beginning, next.kind);
    }
  }
}

/** Folders end with a slash; hidden ones are for who types the dot. */
function filesIn(folder: string, beginning: string, kind: 'files' | 'folders'): Candidate[] {
  const start = beginning.slice(0, beginning.lastIndexOf('/') + 1);
  const isShown = (name: string) => !name.startsWith('.') || beginning.slice(start.length).startsWith('.');
  return entriesOf(resolve(folder, start))
    .filter((entry) => isShown(entry.name) && (kind === 'files' || entry.isDirectory()))
    .map((entry) => ({ value: `${start}${entry.name}${entry.isDirectory() ? '/' : ''}`, about: '' }));
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}

async function named(io: CliIo, { said }: Globals, request: CompletionRequest, kind: NameKind): Promise<readonly Candidate[]> {
  const { beginning, given } = request;
  const stored = await storedNames(() => databaseOf(io, said, given), {
    kind,
    run: given.get('--run') ?? DEFAULT_RUN,
    beginning,
    most: MOST,
  });
  return kind === 'runs' ? [{ value: DEFAULT_RUN, about: 'the newest run' }, ...stored] : stored;
}

/** A database that is not there, locked, damaged, of another version or of another kind gives no names. */
async function storedNames(pathOf: () => string, wanted: WantedNames): Promise<readonly StoredName[]> {
  try {
    return await readNames(pathOf(), wanted);
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}

/** Where the command that is typed will look. `here`: what was said of the store in this folder. */
function databaseOf(io: CliIo, here: SaidOfStore, given: ReadonlyMap<string, string>): string {
  const there = { ...io, cwd: resolve(io.cwd, given.get('-C') ?? '') };
  const { env, read } = withEnvFiles(there, [], envFolders(there, null));
  const elsewhere = { env, envFiles: [...io.notes.envFiles, ...read], config: NO_CONFIG };
  const stated = { db: saidOf('db', given.get('--db'), elsewhere), store: saidOf('store', given.get('--store'), elsewhere) };
  const isSilent = stated.db.by === 'nobody' && stated.store.by === 'nobody';
  return findState({ cwd: there.cwd, manifestPath: null, db: statedStore(isSilent ? here : stated, { ...there, env }), out: null }).db;
}
