import type { Database } from 'better-sqlite3';
import { UPDATE_ADVICE } from '../../../domain/update-advice.ts';
import { isBusy, refusal } from '../sqlite-errors.ts';
import { TABLES } from './migration-1-tables.ts';
import { TOTALS } from './migration-2-totals.ts';
import { REVISIONS } from './migration-3-revisions.ts';
import { CONTROL } from './migration-4-control.ts';
import { PACE } from './migration-5-pace.ts';
import { PARTS } from './migration-6-parts.ts';
import { STORY } from './migration-7-story.ts';
import { TAGS } from './migration-8-tags.ts';

/** Entry n brings a database from version n to n + 1. Released entries are never edited. */
const MIGRATIONS: readonly string[] = [TABLES, TOTALS, REVISIONS, CONTROL, PACE, PARTS, STORY, TAGS];

/** `user_version` of a database that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** 'aiev' in the file's header: this file is ours. */
const APPLICATION_ID = 0x61696576;

/**
 * Brings the database to this program's version, under one write lock, so that processes that start together migrate once.
 * Throws a `UserError` (E22) when the file belongs to another program or to a newer version, before anything is written; throws
 * SQLite's busy error when someone else holds the lock. A database of this version needs no lock: a `status` must not queue behind
 * the workers.
 */
export function migrate(db: Database, path: string): void {
  if (isCurrent(db)) probeWrite(db);
  else inOneWrite(db, () => bringUp(db, path));
}

function isCurrent(db: Database): boolean {
  return numberOf(db, 'user_version') === SCHEMA_VERSION && numberOf(db, 'application_id') === APPLICATION_ID;
}

/** Throws where the file, or its folder, is read-only. Whether it is cannot be told while someone else writes, nor need it. */
function probeWrite(db: Database): void {
  try {
    inOneWrite(db, () => writeNothing(db));
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

function bringUp(db: Database, path: string): void {
  const version = numberOf(db, 'user_version');
  refuseForeign(db, path, version);
  for (const migration of MIGRATIONS.slice(version)) db.exec(migration);
  if (version < SCHEMA_VERSION) {
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }
  writeNothing(db);
}

/** A read-only file begins a transaction without complaint; only a write tells. */
function writeNothing(db: Database): void {
  db.exec(`DELETE FROM settings WHERE name = ''`);
}

function inOneWrite(db: Database, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

/** Throws a `UserError` (E22) for a file of another program or of a newer version. `version` is its `user_version`. */
export function refuseForeign(db: Database, path: string, version: number): void {
  const tables = db.prepare<[], { count: number }>('SELECT count(*) AS count FROM sqlite_schema').get()?.count ?? 0;
  if (tables > 0 && numberOf(db, 'application_id') !== APPLICATION_ID) {
    throw refusal(`${path} is a database of another program; nothing was changed.`, ['use another file: --db new.db']);
  }
  if (version > SCHEMA_VERSION) {
    throw refusal(`${path} was written by a newer aieval (schema ${version}; this one reads up to ${SCHEMA_VERSION}).`, [UPDATE_ADVICE]);
  }
}

function numberOf(db: Database, pragma: 'user_version' | 'application_id'): number {
  const value: unknown = db.pragma(pragma, { simple: true });
  if (typeof value !== 'number') throw new Error(`Expected PRAGMA ${pragma} to be a number, got ${String(value)}`);
  return value;
}
