import type { Params } from './sql.ts';
import type { StoredTexts } from './stored-statement.ts';

/**
 * The rows that a transaction locks before it looks at anything: of some runs the run's own row, then its budget group's, then its lanes'
 * (with all of the same endpoint and key, which are paused together), then that of `maxRunning`. Everything that counts, caps or paces is
 * changed under these alone, so that what was counted stays true until the commit; everybody takes them in this order and by name, so
 * that nobody waits in a circle.
 */
export type Locks = {
  /** Selects the runs as `run_id`. */
  readonly runs: string;
  readonly params: Params;
  /** Lanes that are no run's yet. */
  readonly laneIds: readonly string[];
  /** The transaction lets something start: the cap over all runs must not move meanwhile. */
  readonly admits: boolean;
  /** Nothing was paid yet, and what follows waits for the disk: should the server fail at once, what was written may be gone. */
  readonly losable: boolean;
  /** What this process does under the same locks, one after the other; `null`: it may be any. */
  readonly line: string | null;
};

const NO_MORE = { laneIds: [], admits: false, losable: false, line: null } as const;

/** For what changes no run: only the clock is read. */
export const NO_LOCKS: Locks = { ...NO_MORE, runs: 'SELECT NULL::text AS run_id WHERE false', params: {} };

/** For a beat: the next one says the same. */
export const BEAT_LOCKS: Locks = { ...NO_LOCKS, losable: true };

export function runLocks(runId: string): Locks {
  return { ...NO_MORE, runs: 'SELECT :lockedRun::text AS run_id', params: { lockedRun: runId }, line: runId };
}

/** Of a run in which something is to start. */
export function claimLocks(runId: string): Locks {
  return { ...runLocks(runId), admits: true, losable: true };
}

export function runsLocks(runIds: readonly string[]): Locks {
  return { ...NO_MORE, runs: 'SELECT unnest(:lockedRuns::text[]) AS run_id', params: { lockedRuns: runIds } };
}

/** The unfinished run of an identity, if there is one, and the lanes that a run wants. */
export function identityLocks(identity: string, laneIds: readonly string[]): Locks {
  const runs = `SELECT run_id FROM runs WHERE identity = :lockedIdentity AND holds_identity AND state IN ('planning', 'open', 'paused')`;
  return { ...NO_MORE, runs, params: { lockedIdentity: identity }, laneIds };
}

// Without a lease any more the call still says whose it was.
const OF_TOKEN = `
SELECT run_id FROM steps WHERE lease_token = :lockedToken UNION SELECT run_id FROM calls WHERE call_token = :lockedToken`;

/** The run of a lease or call; `runId`: where this process knows it. */
export function tokenLocks(token: string, runId: string | null): Locks {
  return { ...NO_MORE, runs: OF_TOKEN, params: { lockedToken: token }, line: runId };
}

// An answer makes hits of the key's queued steps, in all runs. One that is queued only now looks for the answer itself.
const OF_TWINS = `${OF_TOKEN}
UNION SELECT q.run_id FROM steps s JOIN steps q ON q.key = s.key WHERE s.lease_token = :lockedToken AND q.state = 'queued'`;

/** The run of a lease, and those that wait for the same answer. */
export function twinLocks(token: string, runId: string | null): Locks {
  return { ...tokenLocks(token, runId), runs: OF_TWINS };
}

/** Those that wait for an answer to one of the keys. */
export function keysLocks(keys: readonly string[]): Locks {
  const runs = `SELECT run_id FROM steps WHERE key = ANY(:lockedKeys::text[]) AND state = 'queued'`;
  return { ...NO_MORE, runs, params: { lockedKeys: keys } };
}

/** The runs that share a budget. */
export function groupLocks(group: string): Locks {
  const runs = `SELECT run_id FROM runs WHERE settings #>> '{budget,group,name}' = :lockedGroup`;
  return { ...NO_MORE, runs, params: { lockedGroup: group } };
}

/** Everything that may go on: nobody claims anything meanwhile. */
export function unfinishedLocks(): Locks {
  return { ...NO_MORE, runs: `SELECT run_id FROM runs WHERE state IN ('planning', 'open', 'paused', 'cancelled')`, params: {} };
}

/** All that a worker holds. */
export function workerLocks(workerId: string): Locks {
  const runs = `SELECT run_id FROM steps WHERE lease_owner = :lockedWorker AND state = 'running'`;
  return { ...NO_MORE, runs, params: { lockedWorker: workerId } };
}

/**
 * Takes the locks and then reads the server's clock: what is written is later than all that was written under the same locks. Each CTE
 * asks for the count of the one before, so that they are taken one after the other.
 */
export function lockStatement({ runs }: Pick<Locks, 'runs'>): string {
  return `
WITH run_rows AS MATERIALIZED (
  SELECT r.run_id, r.settings #>> '{budget,group,name}' AS group_name FROM runs r
  WHERE r.run_id IN (${runs}) ORDER BY r.run_id FOR NO KEY UPDATE),
group_rows AS MATERIALIZED (
  SELECT g.group_name FROM budget_groups g
  WHERE g.group_name IN (SELECT r.group_name FROM run_rows r) ORDER BY g.group_name FOR NO KEY UPDATE),
wanted AS MATERIALIZED (
  SELECT o.lane_id FROM run_lanes o WHERE o.run_id IN (SELECT r.run_id FROM run_rows r)
  UNION SELECT unnest(:lockedLanes::text[])),
lane_rows AS MATERIALIZED (
  SELECT l.lane_id FROM lanes l
  WHERE (SELECT count(*) FROM group_rows) >= 0 AND (l.lane_id IN (SELECT w.lane_id FROM wanted w) OR (l.account_id <> '' AND l.account_id IN (
    SELECT a.account_id FROM wanted w JOIN lanes a ON a.lane_id = w.lane_id WHERE a.account_id <> '')))
  ORDER BY l.lane_id FOR NO KEY UPDATE),
maximum AS MATERIALIZED (
  SELECT s.name FROM settings s
  WHERE (SELECT count(*) FROM lane_rows) >= 0 AND :lockedMaximum::boolean AND s.name = 'maxRunning' FOR NO KEY UPDATE)
SELECT held.lanes, ${SERVER_CLOCK} AS now_ms, pg_current_xact_id()::text AS xact_id
FROM (SELECT (SELECT count(*) FROM maximum) + (SELECT count(*) FROM lane_rows) AS lanes OFFSET 0) held`;
}

/** Milliseconds since 1970, at this moment and not when the transaction began. */
export const SERVER_CLOCK = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

export const LOCK_STATEMENTS: StoredTexts = {
  rows: {
    LOCK_NOTHING: lockStatement(NO_LOCKS),
    LOCK_RUN: lockStatement(runLocks('')),
    LOCK_RUN_OF_TOKEN: lockStatement({ runs: OF_TOKEN }),
    LOCK_TWINS_OF_TOKEN: lockStatement({ runs: OF_TWINS }),
  },
};
