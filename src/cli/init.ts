import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { errorCode } from '../artifacts/storage-error.ts';
import { UserError } from '../domain/errors.ts';
import { EXIT } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import { type InitFile, initFiles } from './init-files.ts';
import type { CliIo } from './io.ts';
import { shellWord } from './terminal/shell-word.ts';

/** `aieval init [dir]`: writes the example, all of it or, where a file of that name is there already, nothing. */
export async function initCommand(io: CliIo, globals: Globals, [argument = '.']: readonly string[]): Promise<number> {
  const folder = resolve(io.cwd, argument);
  const files = initFiles();
  const taken = files.filter((file) => existsSync(join(folder, file.path)));
  if (taken.length > 0) throw wouldOverwrite(io, folder, taken);
  for (const file of files) await writeNew(join(folder, file.path), file.content);
  const created = files.map((file) => shown(io, join(folder, file.path)));
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

function nextLines(manifest: string): string[] {
  return [`next: aieval plan ${shellWord(manifest)}`, `next: export OPENAI_API_KEY=…, then aieval run ${shellWord(manifest)}`];
}

function wouldOverwrite(io: CliIo, folder: string, taken: readonly InitFile[]): UserError {
  const names = taken.map((file) => shown(io, join(folder, file.path))).join(', ');
  return new UserError({
    code: 'E34',
    exitCode: EXIT.usage,
    message: `${names} ${taken.length === 1 ? 'exists' : 'exist'} already; nothing was written`,
    next: ['aieval init <another folder>'],
  });
}

function shown(io: CliIo, path: string): string {
  const way = relative(io.cwd, path);
  return way.startsWith('..') ? path : way;
}
