import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolders } from '../../artifacts/make-folders.ts';
import { errorCode } from '../../artifacts/storage-error.ts';
import { UserError } from '../../domain/errors.ts';
import { jsonLine } from '../../domain/hostile-text.ts';
import type { InitOptions } from '../commands/options.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { shortPath } from '../terminal/short-path.ts';
import { exampleFiles } from './init-example.ts';
import { DOCUMENT_FOLDER, IGNORED, INIT_MODEL, type InitFile, initFiles, LOCAL_SERVER_LINE } from './init-files.ts';

const SCHEMA_OF_PROJECT = 'node_modules/aieval/schema/manifest-1.json';
const GIT_IGNORE = '.gitignore';

/** `aieval init [dir]`: writes the example, all of it or, where a file of that name is there already and `--force` is not given, nothing. */
export async function initCommand(io: CliIo, globals: Globals, argument: string, options: InitOptions): Promise<number> {
  const folder = resolve(io.cwd, argument);
  const isExample = options.example === true;
  const files = isExample ? exampleFiles(schemaPath(folder)) : initFiles(schemaPath(folder));
  const taken = files.filter((file) => existsSync(join(folder, file.path)));
  if (taken.length > 0 && options.force !== true) throw wouldOverwrite(io, folder, taken);
  const ignore = ignoreFile(folder);
  const written = ignore === null ? files : [...files, ignore];
  for (const file of written) await writeOut(join(folder, file.path), file.content, options.force === true);
  const created = written.map((file) => shortPath(join(folder, file.path), io.cwd));
  const manifest = shellWord(created[0] ?? '');
  const next = (isExample ? ['run'] : ['plan', 'run']).map((command) => asTyped(`aieval ${command} ${manifest}`, io.notes.lead));
  if (globals.json) io.stdout.write(`${jsonLine({ v: 1, created, next })}\n`);
  if (globals.json || globals.quiet) return EXIT.pass;
  const closing = isExample ? EXAMPLE_LINES : ownLines(manifest, shortPath(join(folder, DOCUMENT_FOLDER), io.cwd));
  const lines = [
    ...created.map((path) => `created ${path}`),
    ...(ignore === null ? ignoreAdvice(folder) : []),
    `next: ${next[0]}`,
    ...closing.map((line) => asTyped(line, io.notes.lead)),
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.pass;
}

/** `wx`: a file that appeared meanwhile is not overwritten either. */
async function writeOut(path: string, content: string | Uint8Array, force: boolean): Promise<void> {
  try {
    makeFolders(dirname(path));
    await writeFile(path, content, { flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const next = ['aieval init <a folder that you may write>'];
    throw new UserError({ code: 'E22', exitCode: EXIT.storage, message: `cannot write ${path} (${errorCode(cause)})`, next, cause });
  }
}

/** A file of the user's own is never touched, not even with `--force`. */
function ignoreFile(folder: string): InitFile | null {
  return existsSync(join(folder, GIT_IGNORE)) ? null : { path: GIT_IGNORE, content: IGNORED.map((line) => `${line}\n`).join('') };
}

function ignoreAdvice(folder: string): string[] {
  const lines = readFileSync(join(folder, GIT_IGNORE), 'utf8').split(/\r?\n/);
  const missing = IGNORED.filter((line) => !lines.some((each) => each.trim() === line || each.trim() === `/${line}`));
  return missing.length === 0 ? [] : [`kept ${GIT_IGNORE}: add ${missing.join(' and ')} to it`];
}

/**
 * From the folder to the published schema in the packages of the project; `null` where it is not among them: the way to the installation
 * that runs now holds on this machine only, and the manifest is for others, too.
 */
function schemaPath(folder: string): string | null {
  return existsSync(join(folder, SCHEMA_OF_PROJECT)) ? `./${SCHEMA_OF_PROJECT}` : null;
}

const EXAMPLE_LINES = ['', 'It needs no key, no server and no network: its answers are recorded.'];

/** The manifest asks OpenAI, whose key most who try this do not have. */
function ownLines(manifest: string, documents: string): string[] {
  return [
    '',
    `Your own documents: put them into ${documents}/, or change the line "documents" in ${manifest}.`,
    'To run it, either with a key of OpenAI',
    '  export OPENAI_API_KEY=…',
    `or with a server of your own: put this line below "version" in ${manifest}, and write its model's name for "${INIT_MODEL}"`,
    'and its context size for "contextTokens"; aieval doctor --online tells it where the server does',
    `  ${LOCAL_SERVER_LINE}`,
    `then: aieval run ${manifest}`,
  ];
}

function wouldOverwrite(io: CliIo, folder: string, taken: readonly InitFile[]): UserError {
  const names = taken.map((file) => shortPath(join(folder, file.path), io.cwd)).join(', ');
  return new UserError({
    code: 'E34',
    exitCode: EXIT.usage,
    message: `${names} ${taken.length === 1 ? 'exists' : 'exist'} already; nothing was written`,
    next: ['aieval init <another folder>', `aieval init ${shellWord(shortPath(folder, io.cwd))} --force`],
  });
}
