import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../../../domain/errors.ts';
import { between, type Moment, startBeating } from '../../beat-loop.ts';
import type { HeartbeatData } from '../../heartbeat.ts';
import { LeaseWatch } from '../../lease-watch.ts';
import { openPool, postgresPlace } from '../connection.ts';
import { BEAT_LOCKS } from '../locks.ts';
import { isPassing } from '../postgres-errors.ts';
import { renewLeases } from '../steps/alive.ts';
import { Transactor } from '../transactor.ts';

/** A server that is gone may be back before anybody could have taken a lease. */
const PAUSE_MS = 500;

type Data = HeartbeatData & { readonly location: string };

/**
 * Renews all leases of one worker by the server's clock, from a thread with a connection of its own, so that a main loop that parses a PDF
 * for a minute keeps its leases. A step past its deadline is let go. While the server cannot be reached nobody can take a lease either, so
 * that this goes on trying.
 */
function run({ location, workerId, mainIsDeadMs }: Data): void {
  const place = postgresPlace(location);
  const watch = new LeaseWatch(() => performance.now());
  const transactor = new Transactor(openPool(place), place, { clock: null, random: Math.random, newToken: crypto.randomUUID, watch });
  let last: Moment | null = null;

  async function renew(): Promise<void> {
    last = await transactor.write(BEAT_LOCKS, ({ sql, nowMs }) => {
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
