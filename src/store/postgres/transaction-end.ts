import type { PoolClient } from 'pg';
import { isDisconnection } from './postgres-errors.ts';
import type { Sql } from './sql.ts';

/** Sends what is left, and commits without waiting for it: the server commits nothing of which something failed. Else as `commit`. */
export async function ended(client: PoolClient, sql: Sql): Promise<Error | null> {
  if (sql.hasUnchecked) await sql.done();
  const [done, committed] = await Promise.allSettled([sql.done(), commit(client)]);
  if (done.status === 'rejected' && !isDisconnection(done.reason)) throw done.reason;
  if (committed.status === 'rejected') throw committed.reason;
  return committed.value;
}

/** `null`, or the error that leaves it open whether the server has committed. */
async function commit(client: PoolClient): Promise<Error | null> {
  try {
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error(`Expected a commit, got ${command}`);
    return null;
  } catch (error) {
    if (error instanceof Error && isDisconnection(error)) return error;
    throw error;
  }
}

/** The error for which the connection must be closed, if it must. */
export async function rolledBack(client: PoolClient, cause: unknown): Promise<Error | undefined> {
  if (isDisconnection(cause)) return cause instanceof Error ? cause : new Error(String(cause));
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
