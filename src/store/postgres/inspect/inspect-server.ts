import { ok, problem, warning } from '../../finding.ts';
import type { Inspection } from '../../maintenance.ts';
import type { Sql } from '../sql.ts';

type Server = {
  readonly version: string;
  readonly standby: boolean;
  /** What begins nothing else is read-only: somebody wants the database left as it is. */
  readonly readOnly: boolean;
  readonly settingsOff: readonly string[];
  readonly connections: number;
  readonly maximum: number;
  /** Whether what goes over the network may be read on the way. */
  readonly inTheClear: boolean;
};

const SELECT_SERVER = `
SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
  current_setting('default_transaction_read_only') = 'on' AS read_only,
  array(SELECT s FROM unnest(ARRAY['fsync', 'full_page_writes', 'autovacuum']) s WHERE current_setting(s) = 'off') AS settings_off,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
  current_setting('max_connections')::int AS maximum,
  inet_client_addr() IS NOT NULL AND NOT inet_client_addr() <<= '127.0.0.0/8' AND NOT inet_client_addr() = '::1'
    AND NOT coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS in_the_clear`;

/** What is wrong when a setting is off. */
const WHEN_OFF: { readonly [setting: string]: string } = {
  fsync: 'answers that are paid for may be lost when its machine fails',
  full_page_writes: 'tables may be damaged when its machine fails',
  autovacuum: 'the tables grow, and claims get slower',
};

const FEW_CONNECTIONS_LEFT = 10;

/** The server itself: that it can be written, and is set up to keep what it is given. */
export async function inspectServer(sql: Sql, shown: string): Promise<readonly Inspection[]> {
  const server = await sql.one<Server>(SELECT_SERVER);
  if (server === undefined) throw new Error('The server told nothing of itself');
  const findings = [...unwritable(server, shown), ...server.settingsOff.map(settingOff), ...connections(server), ...encryption(server)];
  if (findings.length > 0) return findings;
  return [ok('server', `PostgreSQL ${server.version}, ${server.connections} of ${server.maximum} connections in use`)];
}

function unwritable({ standby, readOnly }: Server, shown: string): readonly Inspection[] {
  if (standby) return [problem('server', `${shown} is a standby: nothing can be written.`, ['use the primary server of the database'])];
  if (!readOnly) return [];
  const next = ['ask who made it so: ALTER DATABASE … SET default_transaction_read_only = off ends it'];
  return [problem('server', `${shown} is read-only (default_transaction_read_only is on): nothing can be written.`, next)];
}

/** Behind PgBouncer this is what the server sees: the way to PgBouncer is not known here. */
function encryption({ inTheClear }: Server): readonly Inspection[] {
  if (!inTheClear) return [];
  const text = 'the connection is not encrypted: whoever is on the way can read documents and answers.';
  return [warning('server', text, ['add sslmode=verify-full to the URL of the database'])];
}

function settingOff(setting: string): Inspection {
  return warning('server', `${setting} is off: ${WHEN_OFF[setting] ?? 'nobody knows what that means'}.`, [
    `ALTER SYSTEM SET ${setting} = on; SELECT pg_reload_conf()`,
  ]);
}

function connections({ connections, maximum }: Server): readonly Inspection[] {
  if (maximum - connections > FEW_CONNECTIONS_LEFT) return [];
  const text = `${connections} of ${maximum} connections are in use: workers may find none left.`;
  return [warning('server', text, ['raise max_connections, or put PgBouncer before the server'])];
}

/** Whoever waits longer for a lock is stuck behind somebody. */
const STUCK_MS = 3000;
/** Nothing of ours takes so long. What was deleted since it began cannot be used anew. */
const LONG_MS = 3_600_000;

type Holder = {
  readonly pid: number;
  readonly name: string;
  readonly state: string | null;
  readonly sinceMs: number | null;
  readonly blocks: boolean;
};

const SELECT_HOLDERS = `
WITH blocking AS MATERIALIZED (
  SELECT DISTINCT unnest(pg_blocking_pids(a.pid)) AS pid FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.wait_event_type = 'Lock' AND a.query_start < clock_timestamp() - :stuckMs * interval '1 ms'
  INTERSECT
  SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_database d ON d.oid = l.database
  WHERE d.datname = current_database() AND c.relnamespace = current_schema()::regnamespace
  UNION
  SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_database d ON d.oid = l.database
  WHERE :ownWaited::boolean AND l.granted AND l.mode = 'AccessExclusiveLock'
    AND d.datname = current_database() AND c.relnamespace = current_schema()::regnamespace)
SELECT a.pid, coalesce(nullif(a.application_name, ''), a.usename::text, 'unknown') AS name, a.state,
  floor(extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint AS since_ms, b.pid IS NOT NULL AS blocks
FROM pg_stat_activity a LEFT JOIN blocking b ON b.pid = a.pid
WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
  AND (b.pid IS NOT NULL OR a.xact_start < clock_timestamp() - :longMs * interval '1 ms')
ORDER BY a.xact_start, a.pid`;

/**
 * Sessions with locks on this store's tables behind which others wait, and transactions that were forgotten, which no vacuum can pass.
 * `ownWaited`: who asks has waited for a table itself, which only the lock of a whole table keeps from being read.
 */
export async function inspectLocks(sql: Sql, { ownWaited }: { readonly ownWaited: boolean }): Promise<readonly Inspection[]> {
  const holders = await sql.all<Holder>(SELECT_HOLDERS, { stuckMs: STUCK_MS, longMs: LONG_MS, ownWaited });
  return holders.length === 0 ? [ok('locks', 'nobody waits for a lock')] : holders.map(holderFinding);
}

function holderFinding({ pid, name, state, sinceMs, blocks }: Holder): Inspection {
  const who = `session ${pid} (${name}${state === null ? '' : `, ${state}`})`;
  const next = [`select pg_terminate_backend(${pid})`];
  const seconds = Math.floor((sinceMs ?? 0) / 1000);
  if (blocks) return problem('locks', `${who} holds rows that others wait for, in a transaction begun ${seconds} s ago.`, next);
  const hours = Math.floor((sinceMs ?? 0) / 3_600_000);
  return warning('locks', `${who} has kept a transaction open for ${hours} h: the tables grow meanwhile.`, next);
}
