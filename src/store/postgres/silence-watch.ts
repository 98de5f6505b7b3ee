import { Client, type PoolClient } from 'pg';
import { CONNECTION, type ConnectionPool, type PostgresPlace, pidOf } from './connection.ts';
import { isDisconnection } from './postgres-errors.ts';

/** A statement may take this long, and wait for a lock; after it the server is asked whether it works at one. */
const SUSPICIOUS_MS = 5000;
/** No statement takes so long: see the limits of a transaction. */
const LONGEST_MS = 65_000;
const CHECK_MS = { usual: 2500, hurried: 500 };
const LOOK_MS = { usual: 10_000, hurried: 1000 };

type Waiting = { bytes: number; sinceMs: number };

type Answer = { readonly own: number; readonly working: readonly number[] };

const WHO_WORKS = `
SELECT pg_backend_pid() AS own, ARRAY(
  SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1::int[]) AND state = 'active') AS working`;

/**
 * Ends connections behind which nobody is any more, though nothing says so: a network that broke without a word, a machine that is gone.
 * Whoever waits there for an answer hears that there is none. A server that takes no new connection is gone for all of them.
 */
export class SilenceWatch {
  readonly #pool: ConnectionPool;
  readonly #place: PostgresPlace;
  readonly #waiting = new Map<PoolClient, Waiting>();
  #pace: keyof typeof CHECK_MS = 'usual';
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(pool: ConnectionPool, place: PostgresPlace) {
    this.#pool = pool;
    this.#place = place;
  }

  /** From now on, until the returned function is called, answers are waited for on the connection. */
  watch(client: PoolClient): () => void {
    this.#waiting.set(client, { bytes: this.#pool.bytesRead(client), sinceMs: performance.now() });
    this.#start();
    return () => {
      this.#waiting.delete(client);
      if (this.#waiting.size === 0) this.#stop();
    };
  }

  /** Somebody wants to leave. */
  hurry(): void {
    this.#pace = 'hurried';
    this.#stop();
    if (this.#waiting.size > 0) this.#start();
  }

  #start(): void {
    this.#timer ??= setInterval(() => void this.#check(), CHECK_MS[this.#pace]);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    const limitMs = this.#pace === 'hurried' ? LOOK_MS.hurried : SUSPICIOUS_MS;
    for (const client of this.#silentFor(LONGEST_MS)) this.#pool.cut(client);
    if (this.#looking || this.#silentFor(limitMs).length === 0) return;
    this.#looking = true;
    try {
      await this.#look(limitMs);
    } finally {
      this.#looking = false;
    }
  }

  async #look(limitMs: number): Promise<void> {
    const pids = new Map(this.#silentFor(limitMs).map((client) => [client, pidOf(client)]));
    const answer = await this.#ask([...pids.values()].filter((pid) => pid !== null));
    if (answer === 'nothing') return this.#pool.cutAll();
    if (answer === 'unclear') return;
    // What is silent all the same, and is worked at by nobody, has been answered already.
    for (const client of this.#silentFor(limitMs)) {
      const pid = pids.get(client);
      if (pid !== undefined && pid !== null && !answer.working.includes(pid)) this.#pool.cut(client);
    }
  }

  #silentFor(limitMs: number): PoolClient[] {
    const nowMs = performance.now();
    return [...this.#waiting].flatMap(([client, waiting]) => {
      const bytes = this.#pool.bytesRead(client);
      if (bytes !== waiting.bytes) Object.assign(waiting, { bytes, sinceMs: nowMs });
      return nowMs - waiting.sinceMs >= limitMs ? [client] : [];
    });
  }

  /** `nothing`: no connection came about. `unclear`: it did, and told nothing of the others. */
  async #ask(pids: readonly number[]): Promise<Answer | 'nothing' | 'unclear'> {
    const limitMs = LOOK_MS[this.#pace];
    const { connection } = this.#place;
    const client = new Client({ ...CONNECTION, ...connection, connectionTimeoutMillis: limitMs, query_timeout: limitMs });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (error) {
      return isDisconnection(error) ? 'nothing' : 'unclear';
    }
    try {
      const [answer] = (await client.query<Answer>(WHO_WORKS, [pids])).rows;
      // A pooler numbers its connections itself.
      return answer !== undefined && answer.own === pidOf(client) ? answer : 'unclear';
    } catch {
      // Behind a pooler there may be no server for it now: it knows better what to do then.
      return 'unclear';
    } finally {
      client.end().catch(() => undefined);
    }
  }
}
