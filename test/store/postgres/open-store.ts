import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { CONNECTION } from '../../../src/store/postgres/connection.ts';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import type { PostgresOptions } from '../../../src/store/postgres/options.ts';
import type { Store } from '../../../src/store/store.ts';
import type { OpenedStore } from '../contract.ts';
import { schemaUrl } from './server.ts';

export type PostgresBench = OpenedStore & {
  readonly location: string;
  readonly schema: string;
  /** A connection of the test's own. */
  readonly db: Client;
  /** A second store on the same schema, as another process has it. */
  readonly another: (changes?: Partial<PostgresOptions>) => Promise<Store>;
  /** As a server does that is shut down, or behind which the network breaks; but for the test's own. How many there were. */
  readonly endConnections: () => Promise<number>;
};

/** Schemas of a test file's own, emptied for each test: to make one takes far longer. A second one only while the first is in use. */
export class TestSchemas {
  readonly #free: TestSchema[] = [];
  readonly #all: TestSchema[] = [];

  /** A store on an empty schema. */
  async open(clock: () => number, changes: Partial<PostgresOptions> = {}): Promise<PostgresBench> {
    const schema = this.#free.pop() ?? this.#made();
    const bench = await schema.open(clock, changes);
    const dispose = async () => {
      await bench.dispose();
      this.#free.push(schema);
    };
    return { ...bench, dispose };
  }

  /** After the last test of the file. */
  async drop(): Promise<void> {
    for (const schema of this.#all) await schema.drop();
  }

  #made(): TestSchema {
    const schema = new TestSchema();
    this.#all.push(schema);
    return schema;
  }
}

const END_CONNECTIONS = `
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`;

class TestSchema {
  readonly #name = `t_${randomUUID().replaceAll('-', '')}`;
  #db: Client | null = null;
  #clear = '';

  async open(clock: () => number, changes: Partial<PostgresOptions>): Promise<PostgresBench> {
    const location = await schemaUrl(this.#name);
    const store = await openPostgresStore({ ...options(location, clock), ...changes });
    const stores: Store[] = [store];
    const db = await this.#connection(location);
    await db.query(this.#clear);
    return {
      store,
      location,
      schema: this.#name,
      db,
      another: async (more: Partial<PostgresOptions> = {}) => {
        const other = await openPostgresStore({ ...options(location, clock), ...more });
        stores.push(other);
        return other;
      },
      endConnections: async () => (await db.query(END_CONNECTIONS, [this.#name])).rowCount ?? 0,
      setMaxRunning: async (value) => void (await db.query(`INSERT INTO settings (name, value) VALUES ('maxRunning', $1)`, [value])),
      dispose: async () => {
        for (const one of stores) await one.close();
      },
    };
  }

  async drop(): Promise<void> {
    await this.#db?.query(`DROP SCHEMA "${this.#name}" CASCADE`);
    await this.#db?.end();
    this.#db = null;
  }

  async #connection(location: string): Promise<Client> {
    if (this.#db !== null) return this.#db;
    const url = new URL(location);
    url.searchParams.delete('schema');
    const db = new Client({ ...CONNECTION, connectionString: url.href });
    await db.connect();
    await db.query(`SET search_path TO "${this.#name}"`);
    this.#clear = await clearStatement(db, this.#name);
    this.#db = db;
    return db;
  }
}

/** Deletes are quicker than TRUNCATE, which makes new files; without the triggers, and the checks of references, they need no order. */
async function clearStatement(db: Client, schema: string): Promise<string> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relname NOT IN ('aieval_migrations', 'store')`,
    [schema],
  );
  const deletes = rows.map(({ name }) => `DELETE FROM ${name}`).join('; ');
  return `BEGIN; SET LOCAL session_replication_role = replica; ${deletes}; COMMIT`;
}

/** Options for a schema, with no chance. */
export function options(location: string, clock: () => number): PostgresOptions {
  return { location, clock, monotonic: clock, random: () => 0.5, newToken: () => randomUUID(), heartbeatThread: null };
}
