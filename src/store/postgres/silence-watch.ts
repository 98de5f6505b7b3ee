import { Client, type PoolClient } from 'pg';
import { CONNECTION, type ConnectionPool, type PostgresPlace, pidOf } from './connection.ts';
import { isDisconnection } from './postgres-errors.ts';
import type { ServerWatch } from './server-watch.ts';

/**
 * `suspiciousMs`: a statement may take this long, and wait for a lock; after it the server is asked whether it works at one. `longestMs`: no
 * statement takes so long (see the limits of a transaction), or may where somebody leaves. A silence is known after the first and the time
 * for a look: `soon` after 5 s, `now` after 2 s.
 */
const PACES = {
  usual: { checkMs: 2500, suspiciousMs: 5000, lookMs: 10_000, longestMs: 65_000 },
  soon: { checkMs: 500, suspiciousMs: 2000, lookMs: 3000, longestMs: 65_000 },
  now: { checkMs: 250, suspiciousMs: 750, lookMs: 1000, longestMs: 3000 },
};

type Waiting = { bytes: number; sinceMs: number };

type Answer = { readonly own: number; readonly working: readonly number[]; readonly locked: readonly number[] };

type Look = { readonly client: Client; readonly sinceMs: number };

const WHO_WORKS = `
SELECT pg_backend_pid() AS own,
  ARRAY(SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1::int[]) AND state = 'active') AS working,
  ARRAY(SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1::int[]) AND state = 'active' AND wait_event_type = 'Lock') AS locked`;
const CANCEL = 'SELECT pg_cancel_backend(pid) FROM unnest($1::int[]) AS waiting (pid)';

/**
 * Ends connections behind which nobody is any more, though nothing says so: a network that broke without a word, a machine that is gone.
 * Whoever waits there for an answer hears that there is none. A server that takes no new connection is gone for all of them.
 */
export class SilenceWatch {
  readonly #pool: ConnectionPool;
  readonly #place: PostgresPlace;
  readonly #server: ServerWatch;
  readonly #waiting = new Map<PoolClient, Waiting>();
  #pace: keyof typeof PACES = 'usual';
  #timer: NodeJS.Timeout | undefined;
  #look: Look | null = null;
  #hurriedAtMs = Number.NEGATIVE_INFINITY;
  readonly #cancelled = new WeakSet<PoolClient>();

  /** `server` hears of a silence before those who wait do. */
  constructor(pool: ConnectionPool, place: PostgresPlace, server: ServerWatch) {
    this.#pool = pool;
    this.#place = place;
    this.#server = server;
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

  /** Somebody wants to leave: soon, with time for calls in flight, or now, when nobody who holds a lock is waited for either. */
  hurry(how: 'soon' | 'now'): void {
    this.#pace = how;
    this.#hurriedAtMs = performance.now();
    this.#stop();
    if (this.#waiting.size > 0) this.#start();
    if (this.#look !== null) endLook(this.#look, PACES[how].lookMs);
  }

  /** Whether what failed there was ended because nobody waits for locks any more. */
  hasCancelled(client: PoolClient): boolean {
    return this.#cancelled.has(client);
  }

  #start(): void {
    this.#timer ??= setInterval(() => void this.#check(), PACES[this.#pace].checkMs);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    const { suspiciousMs, longestMs } = PACES[this.#pace];
    if (performance.now() - this.#hurriedAtMs >= longestMs) for (const client of this.#silentFor(longestMs)) this.#pool.cut(client);
    if (this.#look !== null || this.#silentFor(suspiciousMs).length === 0) return;
    this.#look = this.#newLook();
    try {
      await this.#judge(this.#look);
    } finally {
      this.#look.client.end().catch(() => undefined);
      this.#look = null;
    }
  }

  async #judge({ client, sinceMs: lookedAtMs }: Look): Promise<void> {
    const { suspiciousMs } = PACES[this.#pace];
    const sinceMs = Math.min(...[...this.#waiting.values()].map((waiting) => waiting.sinceMs));
    const pids = new Map(this.#silentFor(suspiciousMs).map((silent) => [silent, pidOf(silent)]));
    const answer = await ask(client, [...pids.values()].filter(isKnown));
    if (answer === 'nothing') {
      // One that is back has answered others meanwhile: what it owes on old connections the next look tells.
      if (this.#server.hasAnsweredSince(lookedAtMs)) return;
      this.#server.silent(sinceMs);
      return this.#pool.cutAll();
    }
    if (answer === 'unclear') return;
    const silent = this.#silentFor(suspiciousMs).flatMap((each) => {
      const pid = pids.get(each) ?? null;
      return pid === null ? [] : [{ client: each, pid }];
    });
    // What is silent all the same, and is worked at by nobody, has been answered already.
    for (const { client: unheard, pid } of silent) if (!answer.working.includes(pid)) this.#pool.cut(unheard);
    if (this.#pace !== 'now') return;
    const locked = silent.filter(({ pid }) => answer.locked.includes(pid));
    for (const each of locked) this.#cancelled.add(each.client);
    // Where that does not work they are cut before long.
    if (locked.length > 0) await client.query(CANCEL, [locked.map(({ pid }) => pid)]).catch(() => undefined);
  }

  #silentFor(limitMs: number): PoolClient[] {
    const nowMs = performance.now();
    return [...this.#waiting].flatMap(([client, waiting]) => {
      const bytes = this.#pool.bytesRead(client);
      if (bytes !== waiting.bytes) Object.assign(waiting, { bytes, sinceMs: nowMs });
      return nowMs - waiting.sinceMs >= limitMs ? [client] : [];
    });
  }

  #newLook(): Look {
    const { lookMs } = PACES[this.#pace];
    const { connection } = this.#place;
    const client = new Client({ ...CONNECTION, ...connection, connectionTimeoutMillis: lookMs, query_timeout: lookMs });
    client.on('error', () => undefined);
    return { client, sinceMs: performance.now() };
  }
}

/** `nothing`: no connection came about. `unclear`: it did, and told nothing of the others. */
async function ask(client: Client, pids: readonly number[]): Promise<Answer | 'nothing' | 'unclear'> {
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
  }
}

/** The driver knows no way to wait less long than was said. */
function endLook({ client, sinceMs }: Look, lookMs: number): void {
  const timer = setTimeout(() => client.connection.stream.destroy(), Math.max(0, sinceMs + lookMs - performance.now()));
  timer.unref();
}

function isKnown(pid: number | null): pid is number {
  return pid !== null;
}
