import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { SLOWEST_BEAT_MS } from '../../../domain/lease.ts';
import { configure, openFile } from '../connection.ts';
import { isBusy } from '../sqlite-errors.ts';
import type { HeartbeatData, HeartbeatMessage } from './heartbeat.ts';
import { type Beat, renewLeases } from './renew.ts';

const BUSY_PAUSE_MS = 50;

/** The clock goes at its own pace, and is corrected by a little now and then; more is a jump, or a sleep of the machine. */
const JUMP_MS = 1000;

/**
 * Renews all leases of one worker from a thread with a connection of its own, so that a main loop that parses a PDF for a minute
 * keeps its leases. A step past its deadline is let go. While the main loop is silent nothing is renewed, and its next sign of life
 * renews at once: after a freeze of the whole process this timer, long due, runs before the signs that queued up.
 */
function run({ path, workerId, startedAtMs, mainIsDeadMs }: HeartbeatData): void {
  const db = openFile(path);
  let beatMs = SLOWEST_BEAT_MS;
  // A jump while this thread was being started is one too: on a busy machine that takes long, and leases are given meanwhile.
  let last = { wallMs: startedAtMs, monotonicMs: 0 };
  let lastTickAtMs = performance.now();
  let configured = false;
  let timer = setTimeout(beat, 0);

  function beat(): void {
    if (performance.now() - lastTickAtMs > mainIsDeadMs) {
      timer = setTimeout(beat, beatMs);
      return;
    }
    try {
      if (!configured) configure(db, path, 'NORMAL');
      configured = true;
      last = renew(db, workerId, last);
      timer = setTimeout(beat, beatMs);
    } catch (error) {
      if (!isBusy(error)) throw portable(error);
      timer = setTimeout(beat, BUSY_PAUSE_MS * (0.5 + Math.random()));
    }
  }

  function receive(message: HeartbeatMessage): void {
    lastTickAtMs = performance.now();
    const sooner = message.beatMs < beatMs;
    beatMs = Math.min(beatMs, message.beatMs);
    // By the wall clock, as leases are: timers stand still while the machine sleeps.
    const dueInMs = last.wallMs + beatMs - Date.now();
    if (!sooner && dueInMs > 0) return;
    clearTimeout(timer);
    timer = setTimeout(beat, Math.min(beatMs, Math.max(0, dueInMs)));
  }

  parentPort?.on('message', receive);
}

/** SQLite's own error class does not cross to the main loop, where the code tells the storage's fault from a bug. */
function portable(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  return Object.assign(new Error(error.message), { code: error.code });
}

type Moment = { readonly wallMs: number; readonly monotonicMs: number };

function renew(db: Database, workerId: string, last: Moment): Moment {
  db.exec('BEGIN IMMEDIATE');
  try {
    const now = { wallMs: Date.now(), monotonicMs: performance.now() };
    renewLeases(db, beatOf(workerId, last, now));
    db.exec('COMMIT');
    return now;
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

function beatOf(workerId: string, last: Moment, now: Moment): Beat {
  const elapsedMs = Math.round(now.monotonicMs - last.monotonicMs);
  const jumpMs = now.wallMs - last.wallMs - elapsedMs;
  return { workerId, nowMs: now.wallMs, elapsedMs, jumpMs: Math.abs(jumpMs) > JUMP_MS ? jumpMs : 0 };
}

run(workerData);
