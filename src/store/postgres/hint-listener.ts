import { Client } from 'pg';
import { CONNECTION, type PostgresPlace } from './connection.ts';
import { HINT_CHANNEL } from './work-hint.ts';

/** All of a process's connections that listen tell of the same change: they do not all ask at the same moment. */
const LONGEST_DELAY_MS = 100;
/** A connection that is gone, and does not know it, is found out by this. */
const PING_MS = 10_000;
const PATIENCE_MS = 5000;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

const PING = `SELECT '${HINT_CHANNEL}' IN (SELECT pg_listening_channels()) AS listens`;

/**
 * Hears on a connection of its own that there is something to claim. A hint may be missed and none is needed: whoever waits for work looks
 * for it all the same, and after each connection that was made anew. Behind a pooler that hands each transaction another session nothing
 * can be heard: then this ends by itself.
 */
export class HintListener {
  readonly #place: PostgresPlace;
  readonly #random: () => number;
  readonly #watchers = new Set<() => void>();
  #client: Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  #delayed: NodeJS.Timeout | undefined;
  #failures = 0;
  /** Nobody listens any more, or nothing can be heard here. */
  #over = false;

  constructor(place: PostgresPlace, random: () => number) {
    this.#place = place;
    this.#random = random;
  }

  /** Calls `onWork` when there may be something to claim, until what is returned is called. */
  watch(onWork: () => void): () => void {
    if (this.#watchers.size === 0 && this.#client === null && !this.#over) void this.#listen();
    this.#watchers.add(onWork);
    return () => void this.#watchers.delete(onWork);
  }

  async close(): Promise<void> {
    this.#over = true;
    clearTimeout(this.#delayed);
    await this.#drop();
  }

  async #listen(): Promise<void> {
    const { connection } = this.#place;
    const client = new Client({ ...CONNECTION, ...connection, connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS });
    this.#client = client;
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ payload }) => {
      if (payload === this.#place.schema) this.#tell();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${HINT_CHANNEL}`);
      this.#failures = 0;
      // What came before is not told any more.
      this.#tell();
      this.#later(PING_MS, () => this.#ping(client));
    } catch {
      this.#lost(client);
    }
  }

  async #ping(client: Client): Promise<void> {
    try {
      const { rows } = await client.query<{ listens: boolean }>(PING);
      if (rows[0]?.listens === true) this.#later(PING_MS, () => this.#ping(client));
      else await this.close();
    } catch {
      this.#lost(client);
    }
  }

  /** That it is gone says nothing to anybody: work is looked for without it. */
  #lost(client: Client): void {
    if (this.#client !== client || this.#over) return;
    void this.#drop();
    const longest = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#later(longest * (0.5 + this.#random() / 2), () => this.#listen());
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    clearTimeout(this.#timer);
    // One that broke may never say that it ended.
    client?.connection.stream.destroy();
  }

  #later(ms: number, then: () => Promise<void>): void {
    clearTimeout(this.#timer);
    if (this.#over) return;
    this.#timer = setTimeout(() => void then(), ms);
    this.#timer.unref();
  }

  /** Many that come at once are one. */
  #tell(): void {
    if (this.#delayed !== undefined || this.#over) return;
    this.#delayed = setTimeout(() => {
      this.#delayed = undefined;
      for (const onWork of this.#watchers) onWork();
    }, this.#random() * LONGEST_DELAY_MS);
    this.#delayed.unref();
  }
}
