import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { unprivileged } from './server.ts';

const PORT = 6432;
const PATIENCE_MS = 20_000;

/** PgBouncer before a server, in transaction mode: each transaction of a client may be in another session of the server. */
export class Pooler {
  readonly #folder = mkdtempSync(join(tmpdir(), 'aieval-pooler-'));
  readonly #process: ChildProcess;

  private constructor(server: URL, sessions: number) {
    const user = unprivileged();
    if (user !== null) chownSync(this.#folder, user.uid, user.gid);
    writeFileSync(join(this.#folder, 'users'), '"postgres" ""\n');
    writeFileSync(join(this.#folder, 'ini'), settings(this.#folder, server, sessions));
    this.#process = spawn('pgbouncer', [join(this.#folder, 'ini')], { ...(user ?? {}), cwd: '/', stdio: 'ignore' });
  }

  /** `server`: its URL. `sessions`: that it keeps open there, for all clients. */
  static async start(server: URL, sessions = 5): Promise<Pooler> {
    const pooler = new Pooler(server, sessions);
    await pooler.#answers(server);
    return pooler;
  }

  /** The same database, through here. */
  location(url: URL): string {
    const through = new URL(url);
    through.searchParams.set('host', this.#folder);
    through.host = `localhost:${PORT}`;
    return through.href;
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await gone;
    rmSync(this.#folder, { recursive: true });
  }

  async #answers(server: URL): Promise<void> {
    const url = new URL(this.location(server));
    url.searchParams.delete('schema');
    const startedAtMs = Date.now();
    for (;;) {
      const client = new Client({ connectionString: url.href });
      try {
        await client.connect();
        return;
      } catch (error) {
        if (Date.now() - startedAtMs > PATIENCE_MS) throw new Error(readFileSync(join(this.#folder, 'log'), 'utf8'), { cause: error });
        await pause(50);
      } finally {
        await client.end();
      }
    }
  }
}

function settings(folder: string, server: URL, sessions: number): string {
  return `
[databases]
postgres = host=${server.searchParams.get('host') ?? server.hostname} port=${server.port === '' ? 5432 : server.port} dbname=postgres
[pgbouncer]
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 300
listen_addr =
listen_port = ${PORT}
unix_socket_dir = ${folder}
auth_type = trust
auth_file = ${join(folder, 'users')}
logfile = ${join(folder, 'log')}
`;
}
