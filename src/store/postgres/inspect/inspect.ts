import { Client } from 'pg';
import { UserError } from '../../../domain/errors.ts';
import { problem } from '../../finding.ts';
import type { Inspection } from '../../maintenance.ts';
import { IN_SILENCE } from '../../server-news.ts';
import { inspectSpool } from '../../spool/inspect-spool.ts';
import { unreadableFindings } from '../../stored-run.ts';
import { openClient } from '../connect.ts';
import { type PostgresPlace, postgresPlace, quoted } from '../connection.ts';
import { SERVER_CLOCK } from '../locks.ts';
import type { PostgresOptions } from '../options.ts';
import { isLocked } from '../postgres-errors.ts';
import { allRuns } from '../runs/runs.ts';
import { SCHEMA_VERSION, versionOf } from '../schema/migrations.ts';
import { SpoolLocks } from '../spool/spool-locks.ts';
import { spoolPlaces } from '../spool/spool-places.ts';
import { Sql } from '../sql.ts';
import { DOCTOR, storageError } from '../storage-error.ts';
import type { View } from '../transactor.ts';
import { inspectSchema } from './inspect-rights.ts';
import { inspectLocks, inspectServer } from './inspect-server.ts';
import { inspectRows, inspectWorkers } from './inspect-work.ts';

/** What a look at a store must know of this process. */
export type InspectOptions = Pick<PostgresOptions, 'location' | 'clock' | 'hostId' | 'spoolFolders' | 'userId' | 'patience'>;

/** Every row may be looked at. */
const LONGEST_LOOK_MS = 3_600_000;
/** A person waits for what is found; what is locked for longer is it. */
const LONGEST_LOCK_MS = 5000;

/**
 * Looks at a store and at its server, in the order of `check`. Nothing is created or changed. Never throws for what is wrong with the
 * storage.
 */
export async function inspectPostgres(options: InspectOptions): Promise<readonly Inspection[]> {
  const { location, clock, patience = IN_SILENCE } = options;
  const place = postgresPlace(location);
  const client = await openClient(place, { query_timeout: LONGEST_LOOK_MS }, patience.onServer).catch((error: unknown) =>
    refused('server', error, place),
  );
  if (!(client instanceof Client)) return [client];
  try {
    return await inspectAll(new Looks(client, place, clock), place, { client, options });
  } catch (error) {
    return [refused('server', error, place)];
  } finally {
    await client.end();
  }
}

type Here = { readonly client: Client; readonly options: InspectOptions };

async function inspectAll(looks: Looks, place: PostgresPlace, { client, options }: Here): Promise<readonly Inspection[]> {
  const findings = [...(await looks.at('server', ({ sql }) => inspectServer(sql, place.shown)))];
  const version = await looks.version();
  if (typeof version !== 'number') return [...findings, version];
  findings.push(...(await looks.at('schema', ({ sql }) => inspectSchema(sql, place.schema, version))));
  if (version !== SCHEMA_VERSION) return findings;
  findings.push(...(await looks.at('runs', async ({ sql }) => unreadableFindings(await allRuns(sql)))));
  findings.push(...(await looks.at('totals', ({ sql }) => inspectRows(sql, 'totals'))));
  findings.push(...(await looks.at('work', ({ sql }) => inspectRows(sql, 'work'))));
  findings.push(...(await looks.at('locks', ({ sql }) => inspectLocks(sql, { ownWaited: looks.isLockedOut }))));
  if (looks.isLockedOut) return findings;
  try {
    const places = await spoolPlaces(client, place, options);
    const locks = new SpoolLocks(places);
    const watcher = { locks, hostId: options.hostId ?? null };
    findings.push(...(await looks.at('workers', (view) => inspectWorkers(view, watcher))));
    // Paid answers of this machine that the server did not take.
    return [...findings, ...(await inspectSpool((workerId) => locks.isAlive(workerId), places))];
  } catch (error) {
    return [...findings, refused('spool', error, place)];
  }
}

/** What stands in the way; a bug is thrown on. */
function refused(check: string, error: unknown, { shown }: PostgresPlace): Inspection {
  const known = storageError(error, shown);
  if (known instanceof UserError) return problem(check, known.message, withoutDoctor(known.next));
  throw error;
}

/** It is what is running. */
function withoutDoctor(next: readonly string[]): string[] {
  return next.filter((step) => step !== DOCTOR);
}

/** Looks over one connection, each at one snapshot. */
class Looks {
  readonly #client: Client;
  readonly #place: PostgresPlace;
  readonly #clock: PostgresOptions['clock'];
  #isLockedOut = false;

  constructor(client: Client, place: PostgresPlace, clock: PostgresOptions['clock']) {
    this.#client = client;
    this.#place = place;
    this.#clock = clock;
  }

  /** A look waited for a lock in vain: whoever holds it is what there is to tell. */
  get isLockedOut(): boolean {
    return this.#isLockedOut;
  }

  /** The findings of one look; where the server refuses it, that is what is found. After a wait in vain only locks are looked at. */
  async at(check: string, look: (view: View) => Promise<readonly Inspection[]>): Promise<readonly Inspection[]> {
    if (this.#isLockedOut && check !== 'locks') return [];
    try {
      const path = `SET LOCAL search_path TO ${quoted(this.#place.schema)}`;
      await this.#client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${path}; SET LOCAL lock_timeout = ${LONGEST_LOCK_MS}`);
      const sql = new Sql(this.#client);
      const findings = await look({ sql, nowMs: await this.#now(sql) });
      await this.#client.query('COMMIT');
      return findings;
    } catch (error) {
      this.#isLockedOut ||= isLocked(error);
      const finding = refused(check, error, this.#place);
      await this.#client.query('ROLLBACK');
      return [finding];
    }
  }

  /** The version of the schema, 0 where there is none; or why it cannot be used. */
  async version(): Promise<number | Inspection> {
    try {
      return await versionOf(this.#client, this.#place.schema, this.#place.shown);
    } catch (error) {
      return error instanceof UserError ? problem('schema', error.message, error.next) : refused('schema', error, this.#place);
    }
  }

  async #now(sql: Sql): Promise<number> {
    return this.#clock === null ? ((await sql.one<{ nowMs: number }>(`SELECT ${SERVER_CLOCK} AS now_ms`))?.nowMs ?? 0) : this.#clock();
  }
}
