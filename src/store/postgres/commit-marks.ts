import { DatabaseError, type PoolClient } from 'pg';
import { quoted } from './connection.ts';
import { SERVER_CLOCK } from './locks.ts';
import type { Sql } from './sql.ts';
import type { StoredTexts } from './stored-statement.ts';

const MARK = `
INSERT INTO commit_marks AS m (process, slot, xact_id, marked_at_ms)
VALUES (:process, :slot, pg_current_xact_id()::text, ${SERVER_CLOCK})
ON CONFLICT (process, slot) DO UPDATE SET xact_id = excluded.xact_id, marked_at_ms = excluded.marked_at_ms`;

/** Of processes that are gone; no outcome is asked for that long after. */
export const FORGET_MARKS = `DELETE FROM commit_marks WHERE marked_at_ms < ${SERVER_CLOCK} - 604800000`;

/** A transaction, and where it left its mark. */
export type Marked = { readonly slot: number; readonly xactId: string };

/**
 * What a transaction leaves behind, so that it can be known whether it was committed when the connection broke in between. Its number alone
 * proves nothing: after a crash the server gives the numbers of transactions that it forgot to others. One row for each transaction at a
 * time, written over by the next one.
 */
export class CommitMarks {
  readonly #process: string;
  readonly #free: number[] = [];
  #slots = 0;

  /** `process`: the same for no two of them, at any time. */
  constructor(process: string) {
    this.#process = process;
  }

  /** A slot that is nobody's until it is given back: when the outcome of its transaction is known. */
  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    this.#slots += 1;
    return this.#slots;
  }

  giveBack(slot: number): void {
    this.#free.push(slot);
  }

  leave(sql: Sql, slot: number): void {
    sql.send(MARK, { process: this.#process, slot });
  }

  /** Whether a transaction that is over was committed; `null` while it is not over. */
  async isCommitted(client: PoolClient, schema: string, { slot, xactId }: Marked): Promise<boolean | null> {
    if ((await xactStatus(client, xactId)) === 'in progress') return null;
    // Only now: while it was not over its mark could not be seen.
    const text = `SELECT 1 FROM ${quoted(schema)}.commit_marks WHERE process = $1 AND slot = $2 AND xact_id = $3`;
    const { rowCount } = await client.query({ text, values: [this.#process, slot, xactId] });
    return rowCount === 1;
  }
}

const OF_THE_FUTURE = '22023';

/** `null`: unknown to the server, as to a standby that was promoted before it heard of it. */
async function xactStatus(client: PoolClient, xactId: string): Promise<string | null> {
  try {
    const { rows } = await client.query<{ status: string | null }>('SELECT pg_xact_status($1::xid8) AS status', [xactId]);
    return rows[0]?.status ?? null;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === OF_THE_FUTURE) return null;
    throw error;
  }
}

export const COMMIT_MARK_STATEMENTS: StoredTexts = { changes: { MARK } };
