import { type ChildProcess, spawn } from 'node:child_process';
import { oneLine } from '../../domain/hostile-text.ts';
import type { CliIo } from '../io.ts';

/** What opens a file as if a person had clicked on it; the file is the last argument. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** An opener that finds no browser says so at once; one that found one may stay as long as that does. */
const FAILS_WITHIN_MS = 2000;

/**
 * Opens a file in the program of the user's choice, which stays when this one ends. That there is none is a note with the path, no
 * failure: the file is written.
 */
export async function openFile({ env, stderr, sleep }: CliIo, path: string): Promise<void> {
  const [command, ...before] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...before, path], { detached: true, stdio: 'ignore', env: { ...env } });
  const over = new AbortController();
  const failure = await Promise.race([failureOf(child), sleep(FAILS_WITHIN_MS, over.signal).then(() => null)]);
  over.abort();
  child.unref();
  if (failure !== null)
    stderr.write(`note: ${command} could not open it (${failure}); open this file in a browser: ${oneLine(path, 1000)}\n`);
}

/** Why it could not be started, or ended in failure; `null` once it ended well. */
function failureOf(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code === 0 ? null : `exit code ${code}`));
    child.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
  });
}
