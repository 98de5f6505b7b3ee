import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { between, type Moment, startBeating } from '../../beat-loop.ts';
import type { HeartbeatData } from '../../heartbeat.ts';
import { configure, openFile } from '../connection.ts';
import { isBusy } from '../sqlite-errors.ts';
import { renewLeases } from './renew.ts';

const BUSY_PAUSE_MS = 50;

type Data = HeartbeatData & { readonly path: string };

/**
 * Renews all leases of one worker from a thread with a connection of its own, so that a main loop that parses a PDF for a minute
 * keeps its leases. A step past its deadline is let go.
 */
function run({ path, workerId, startedAtMs, mainIsDeadMs }: Data): void {
  const db = openFile(path);
  // A jump while this thread was being started is one too: on a busy machine that takes long, and leases are given meanwhile.
  let last: Moment = { wallMs: startedAtMs, monotonicMs: 0 };
  let configured = false;

  function renew(): void {
    try {
      if (!configured) configure(db, path, 'NORMAL');
      configured = true;
      last = beat(db, workerId, last);
    } catch (error) {
      throw portable(error);
    }
  }

  const receive = startBeating({ renew, isPassing: isBusy, pauseMs: BUSY_PAUSE_MS, mainIsDeadMs });
  parentPort?.on('message', receive);
}

/** SQLite's own error class does not cross to the main loop, where the code tells the storage's fault from a bug. */
function portable(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  return Object.assign(new Error(error.message), { code: error.code });
}

function beat(db: Database, workerId: string, last: Moment): Moment {
  db.exec('BEGIN IMMEDIATE');
  try {
    const now = { wallMs: Date.now(), monotonicMs: performance.now() };
    renewLeases(db, { workerId, nowMs: now.wallMs, ...between(last, now) });
    db.exec('COMMIT');
    return now;
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

run(workerData);
