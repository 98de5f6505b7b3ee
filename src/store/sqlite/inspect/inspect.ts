import { existsSync } from 'node:fs';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { ok } from '../../finding.ts';
import { THIS_MACHINE } from '../../machine/file-system-here.ts';
import { Liveness } from '../../machine/liveness.ts';
import type { Inspection } from '../../maintenance.ts';
import { inspectSpool } from '../../spool/inspect-spool.ts';
import { unreadableFindings } from '../../stored-run.ts';
import { refuseOldSqlite } from '../connection.ts';
import { type FileSystemOptions, realDatabase, realFolder } from '../file-system-here.ts';
import type { SqliteOptions } from '../options.ts';
import { allRuns } from '../runs/runs.ts';
import { spoolPlaces } from '../spool-places.ts';
import { Sql } from '../sql.ts';
import { isDamage, isDiskFailure } from '../sqlite-errors.ts';
import { seeWorkers, type Watcher } from '../workers/seen-workers.ts';
import { type Contents, inspectIntegrity, inspectReferences, inspectRows, inspectSchema } from './inspect-content.ts';
import { lookAt } from './inspect-finding.ts';
import { inspectLock } from './inspect-lock.ts';
import { inspectDisk, inspectFileSystem, inspectLog, isSafe, type Place, placeOf } from './inspect-place.ts';
import { inspectLeases, inspectWorkers } from './inspect-workers.ts';

/** What a look at a store must know of this process and this machine. */
export type InspectOptions = Pick<SqliteOptions, 'path' | 'clock' | 'hostId' | 'fileSystem' | 'spoolFolders' | 'userId'>;

/**
 * Looks at a database and at what stands around it, in the order of `check`. Neither the file nor its folder need be there, and
 * nothing is changed: the database is read by a connection that cannot write it, so that a damaged one is left as it is. Never
 * throws for what is wrong with the storage; throws when the database driver cannot be loaded.
 */
export async function inspectDatabase(options: InspectOptions): Promise<readonly Inspection[]> {
  const fileSystem = options.fileSystem ?? { trustUncertain: false };
  const machine = fileSystem.machine ?? THIS_MACHINE;
  const place = placeOf(realDatabase(options.path), realFolder(options.path), machine);
  return [
    ...(await lookAt('sqlite', place.path, inspectDriver)),
    inspectFileSystem(place, fileSystem.trustUncertain),
    ...(await lookAt('disk', place.folder, () => [inspectDisk(place, machine)])),
    ...(await inspectFile(place, fileSystem, options)),
  ];
}

function inspectDriver(): readonly Inspection[] {
  const db = new BetterSqlite3(':memory:');
  try {
    refuseOldSqlite(db);
    return [ok('sqlite', `SQLite ${db.prepare('SELECT sqlite_version()').pluck().get()}`)];
  } finally {
    db.close();
  }
}

async function inspectFile(place: Place, fileSystem: FileSystemOptions, options: InspectOptions): Promise<readonly Inspection[]> {
  const { path } = place;
  if (!isSafe(place, fileSystem)) return [];
  if (!existsSync(path)) return [ok('schema', `${path} does not exist yet; the first run creates it`)];
  return await lookAt('schema', path, async () => {
    const db = new BetterSqlite3(path, { readonly: true, timeout: 0 });
    try {
      return await inspectContents(db, place, options);
    } finally {
      db.close();
    }
  });
}

/** A file that is no database, or another program's, throws at once: nothing more is asked of it. */
async function inspectContents(db: Database, place: Place, options: InspectOptions): Promise<readonly Inspection[]> {
  const { path } = place;
  const { contents, finding } = inspectSchema(db, path);
  if (contents === 'none') return [finding];
  const isReadable = contents !== 'unreadable';
  return [
    finding,
    ...(isReadable ? await lookAt('integrity', path, () => [inspectIntegrity(db, path)]) : []),
    ...(isReadable && contents !== 'damaged' ? await lookAt('foreign-keys', path, () => [inspectReferences(db)]) : []),
    ...(await inspectWork(db, place, contents, options)),
    ...(await lookAt('wal', path, () => [inspectLog(place)])),
  ];
}

async function inspectWork(db: Database, { path }: Place, contents: Contents, options: InspectOptions): Promise<readonly Inspection[]> {
  if (contents === 'other version' || contents === 'none') return [];
  const watcher: Watcher = { liveness: new Liveness(path), hostId: options.hostId, nowMs: options.clock() };
  const sql = new Sql(db);
  const isAlive = (workerId: string) => watcher.liveness.isAlive(workerId);
  const spool = () => inspectSpool(isAlive, spoolPlaces({ storeId: storeIdOf(sql), database: path }, options));
  if (contents !== 'ours') return await lookAt('spool', path, spool);
  const see = () => seeWorkers(sql, watcher);
  return [
    ...(await lookAt('runs', path, () => unreadableFindings(allRuns(sql)))),
    ...(await inspectRows(db, path, 'totals')),
    ...(await inspectRows(db, path, 'work')),
    ...(await lookAt('lock', path, async () => [await inspectLock(path, see)])),
    ...(await lookAt('workers', path, () => inspectWorkers(see()))),
    ...(await lookAt('leases', path, () => inspectLeases(sql, see, watcher))),
    ...(await lookAt('spool', path, spool)),
  ];
}

/** Empty where it cannot be read: what stands beside the database is its own all the same. */
function storeIdOf(sql: Sql): string {
  try {
    return sql.one<{ storeId: string }>('SELECT store_id AS storeId FROM store')?.storeId ?? '';
  } catch (error) {
    if (isDamage(error) || isDiskFailure(error)) return '';
    throw error;
  }
}
