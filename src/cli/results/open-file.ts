import { spawn } from 'node:child_process';
import type { CliIo } from '../io.ts';

/** What opens a file as if a person had clicked on it; the file is the last argument. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a file in the program of the user's choice, which stays when this one ends. That there is none is a note, no failure. */
export async function openFile({ env, stderr }: CliIo, path: string): Promise<void> {
  const [command, ...before] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...before, path], { detached: true, stdio: 'ignore', env: { ...env } });
  const failure = await new Promise<string | null>((resolve) => {
    child.once('spawn', () => resolve(null));
    child.once('error', (error) => resolve(error.message));
  });
  child.unref();
  if (failure !== null) stderr.write(`note: could not open it: ${failure}\n`);
}
