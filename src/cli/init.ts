import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../artifacts/storage-error.ts';
import { UserError } from '../domain/errors.ts';
import { EXIT } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import { INIT_MODEL, type InitFile, initFiles, LOCAL_SERVER_LINE } from './init-files.ts';
import type { CliIo } from './io.ts';
import { shellWord } from './terminal/shell-word.ts';
import { shortPath } from './terminal/short-path.ts';

const OWN_SCHEMA = fileURLToPath(new URL('../../schema/manifest-1.json', import.meta.url));
const SCHEMA_OF_PROJECT = 'node_modules/aieval/schema/manifest-1.json';

/** `aieval init [dir]`: writes the example, all of it or, where a file of that name is there already, nothing. */
export async function initCommand(io: CliIo, globals: Globals, argument: string): Promise<number> {
  const folder = resolve(io.cwd, argument);
  const files = initFiles(schemaPath(folder));
  const taken = files.filter((file) => existsSync(join(folder, file.path)));
  if (taken.length > 0) throw wouldOverwrite(io, folder, taken);
  for (const file of files) await writeNew(join(folder, file.path), file.content);
  const created = files.map((file) => shortPath(join(folder, file.path), io.cwd));
  if (globals.json) io.stdout.write(`${JSON.stringify({ v: 1, created })}\n`);
  else if (!globals.quiet) io.stdout.write(`${[...created.map((path) => `created ${path}`), ...nextLines(created[0] ?? '')].join('\n')}\n`);
  return EXIT.pass;
}

/** `wx`: a file that appeared meanwhile is not overwritten either. */
async function writeNew(path: string, content: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: 'wx' });
  } catch (cause) {
    const next = ['aieval init <a folder that you may write>'];
    throw new UserError({ code: 'E22', exitCode: EXIT.storage, message: `cannot write ${path} (${errorCode(cause)})`, next, cause });
  }
}

/** From the folder to the published schema: in the project's own packages where it is, else in the installation that runs now. */
function schemaPath(folder: string): string {
  if (existsSync(join(folder, SCHEMA_OF_PROJECT))) return `./${SCHEMA_OF_PROJECT}`;
  const way = relative(folder, OWN_SCHEMA);
  return way.startsWith('..') ? way : `./${way}`;
}

/** The manifest asks OpenAI, whose key most who try this do not have. */
function nextLines(manifest: string): string[] {
  return [
    `next: aieval plan ${shellWord(manifest)}`,
    '',
    'To run it, either with a key of OpenAI',
    '  export OPENAI_API_KEY=…',
    `or with a server of your own: put this line below "version" in ${shellWord(manifest)}, and write the name of its model for "${INIT_MODEL}"`,
    `  ${LOCAL_SERVER_LINE}`,
    `then: aieval run ${shellWord(manifest)}`,
  ];
}

function wouldOverwrite(io: CliIo, folder: string, taken: readonly InitFile[]): UserError {
  const names = taken.map((file) => shortPath(join(folder, file.path), io.cwd)).join(', ');
  return new UserError({
    code: 'E34',
    exitCode: EXIT.usage,
    message: `${names} ${taken.length === 1 ? 'exists' : 'exist'} already; nothing was written`,
    next: ['aieval init <another folder>'],
  });
}
