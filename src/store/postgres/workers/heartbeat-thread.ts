import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../../../domain/errors.ts';
import { between, type Moment, startBeating } from '../../beat-loop.ts';
import type { HeartbeatData } from '../../heartbeat.ts';
import { LeaseWatch } from '../../lease-watch.ts';
import type { ServerPatience } from '../../server-news.ts';
import { openPool, postgresPlace } from '../connection.ts';
import { BEAT_LOCKS } from '../locks.ts';
import { isPassing } from '../postgres-errors.ts';
import { renewLeases } from '../steps/alive.ts';
import { Transactor } from '../transactor.ts';

/** A server that is gone may be back before anybody could have taken a lease. */
const PAUSE_MS = 500;

/**
 * For a connection, and for a renewal: with the pause, less than a third of a lease, whose beats are a quarter of it apart, is lost to a
 * connection behind which nobody answers.
 */
const LIMIT_BEATS = 0.5;
const LEAST_LIMIT_MS = 1000;

/** Whoever beats tries again by itself. */
const IMPATIENT: ServerPatience = { patienceMs: 0, onServer: () => undefined };

type Data = HeartbeatData & { readonly location: string };

/**
 * Renews all leases of one worker by the server's clock, from a thread with a connection of its own, so that a main loop that parses a PDF
 * for a minute keeps its leases. A step past its deadline is let go. While the server cannot be reached nobody can take a lease either, so
 * that this goes on trying.
 */
function run({ location, workerId, mainIsDeadMs }: Data): void {
  const place = postgresPlace(location);
  const watch = new LeaseWatch(() => performance.now());
  const context = { clock: null, random: Math.random, newToken: () => crypto.randomUUID(), watch, patience: IMPATIENT };
  let last: Moment | null = null;
  let limitMs = 0;
  let transactor: Transactor | null = null;

  /** Connections know for how long they wait: those of a run with longer leases are left. */
  function within(ms: number): Transactor {
    if (transactor !== null && ms === limitMs) return transactor;
    transactor?.close().catch(() => undefined);
    limitMs = ms;
    transactor = new Transactor(openPool(place, { max: 1, connectionTimeoutMillis: ms, query_timeout: ms }), place, context);
    return transactor;
  }

  async function renew(beatMs: number): Promise<void> {
    last = await within(Math.max(LEAST_LIMIT_MS, LIMIT_BEATS * beatMs)).write(BEAT_LOCKS, ({ sql, nowMs }) => {
      const now = { wallMs: nowMs, monotonicMs: performance.now() };
      renewLeases(sql, { workerId, nowMs, ...between(last ?? now, now) });
      return now;
    });
  }

  const receive = startBeating({ renew, isPassing: willPass, pauseMs: PAUSE_MS, mainIsDeadMs });
  parentPort?.on('message', receive);
}

function willPass(error: unknown): boolean {
  return isPassing(error) || (error instanceof UserError && isPassing(error.cause));
}

run(workerData);
