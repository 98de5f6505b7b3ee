import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { CONNECTION } from '../../../src/store/postgres/connection.ts';
import { isDisconnection } from '../../../src/store/postgres/postgres-errors.ts';
import { BROKEN_NOW } from '../../store/postgres/sound.ts';
import type { Base, Rows } from './database.ts';

/** A schema of a server that the processes reach by `env`, and the test by `url`. */
export function serverBase(env: Readonly<Record<string, string>>, url: URL): Base {
  const direct = new URL(url);
  const schema = direct.searchParams.get('schema') ?? '';
  direct.searchParams.delete('schema');
  direct.searchParams.set('options', `-c search_path=${schema}`);
  return { env, open: async () => new ServerRows(direct.href) };
}

const PATIENCE_MS = 30_000;

class ServerRows implements Rows {
  readonly #pool: Pool;

  constructor(url: string) {
    this.#pool = new Pool({ ...CONNECTION, connectionString: url, application_name: 'looks on', max: 2 });
    this.#pool.on('error', () => undefined);
  }

  /** Also while the server is started anew. */
  async all<Row>(text: string): Promise<Row[]> {
    const startedAtMs = Date.now();
    for (;;) {
      try {
        return (await this.#pool.query(text)).rows as Row[];
      } catch (error) {
        if (!isDisconnection(error) || Date.now() - startedAtMs > PATIENCE_MS) throw error;
        await pause(100);
      }
    }
  }

  async broken(): Promise<readonly string[]> {
    return (await this.all<{ fact: string }>(BROKEN_NOW)).map(({ fact }) => fact);
  }

  /** Rows are locked, never all of them. */
  lockIsFree(): boolean {
    return true;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
