import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const BINARY = fileURLToPath(new URL('../../bin/aieval.js', import.meta.url));

export type Ended = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

export type SpawnOptions = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArguments?: readonly string[];
  readonly binary?: string;
  /** Default: nothing, and closed. */
  readonly stdin?: string | Buffer;
};

/** Runs the real program to its end. Its environment is only what is given, PATH and HOME, and a folder for what it keeps beside a server. */
export async function aieval(args: readonly string[], options: SpawnOptions): Promise<Ended> {
  return await ended(start(args, options));
}

/** Starts the real program. */
export function start(args: readonly string[], { cwd, env = {}, nodeArguments = [], binary = BINARY, stdin }: SpawnOptions): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [...nodeArguments, binary, ...args], {
    cwd,
    env: { PATH, HOME, XDG_STATE_HOME: join(tmpdir(), 'aieval-state'), ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(stdin);
  return child;
}

/** Collects what a process writes until it has ended. */
export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}
