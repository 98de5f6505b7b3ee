import type { Database } from 'better-sqlite3';

/** Stands around one statement: calls `execute` or not, and may throw. Returns what the statement returns. */
export type Around = (text: string, execute: () => unknown) => unknown;

export function watchedDatabase(db: Database, around: Around): Database;
