import { UserError } from '../../../domain/errors.ts';
import type { FilesLock } from '../../store.ts';
import { NO_LOCKS } from '../locks.ts';
import type { Transactor } from '../transactor.ts';

/** How long a holder that says nothing keeps the right: a process that dies leaves it to the next one after that. */
const TTL_MS = 15_000;
const RENEW_MS = 4000;

// One that ends further ahead than any renewal puts it was written before the clock was set back.
const TAKE = `
INSERT INTO file_locks AS l (run_id, holder, expires_at_ms) VALUES (:runId, :holder, :nowMs::bigint + :ttlMs::bigint)
ON CONFLICT (run_id) DO UPDATE SET holder = excluded.holder, expires_at_ms = excluded.expires_at_ms
WHERE l.expires_at_ms <= :nowMs OR l.expires_at_ms > :nowMs + :ttlMs`;
const RENEW = `UPDATE file_locks SET expires_at_ms = :nowMs::bigint + :ttlMs::bigint WHERE run_id = :runId AND holder = :holder`;
const RELEASE = `DELETE FROM file_locks WHERE run_id = :runId AND holder = :holder`;

/**
 * The right to write runs' files: a row that its holder renews, because no lock of the server is both the process's own and kept behind a
 * pooler. Whoever stands still for longer than that may be joined by another writer; what is marked as written is checked for that.
 */
export class FilesLocks {
  readonly #transactor: Transactor;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(transactor: Transactor) {
    this.#transactor = transactor;
  }

  /** `null`: another one holds it. */
  async take(runId: string): Promise<FilesLock | null> {
    const holder = await this.#transactor.write(NO_LOCKS, async ({ sql, nowMs, newToken }) => {
      const token = newToken();
      return (await sql.run(TAKE, { runId, holder: token, nowMs, ttlMs: TTL_MS })) === 1 ? token : null;
    });
    if (holder === null) return null;
    const timer = setInterval(this.#renewer(runId, holder), RENEW_MS);
    timer.unref();
    this.#timers.add(timer);
    const release = () => this.#release(timer, { runId, holder });
    return { release, discard: release };
  }

  /** What is still held is free for others when its time is over. */
  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers.clear();
  }

  /** One renewal at a time: a server that is away is not waited for by more and more of them. */
  #renewer(runId: string, holder: string): () => void {
    let renewing = false;
    return () => {
      if (renewing) return;
      renewing = true;
      this.#transactor
        .write(NO_LOCKS, ({ sql, nowMs }) => sql.run(RENEW, { runId, holder, nowMs, ttlMs: TTL_MS }))
        .catch(() => {
          // The next one may come in time; whoever writes meets the same error, and tells it.
        })
        .finally(() => {
          renewing = false;
        });
    };
  }

  async #release(timer: NodeJS.Timeout, held: { readonly runId: string; readonly holder: string }): Promise<void> {
    clearInterval(timer);
    this.#timers.delete(timer);
    try {
      await this.#transactor.write(NO_LOCKS, ({ sql }) => sql.run(RELEASE, held));
    } catch (error) {
      // What was written with the right is written: it ends by itself before long.
      if (!(error instanceof UserError)) throw error;
    }
  }
}
