import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { configure, openFile } from './connection.ts';
import type { HeartbeatData, HeartbeatMessage } from './heartbeat.ts';
import { isBusy } from './sqlite-errors.ts';

/** Until a claim says how often its run wants it. */
const DEFAULT_BEAT_MS = 15_000;
const BUSY_PAUSE_MS = 50;

const RENEW = `
UPDATE steps SET lease_expires_at_ms = :nowMs + (SELECT r.settings ->> '$.lease.ttlMs' FROM runs r WHERE r.run_id = steps.run_id)
WHERE lease_owner = :workerId AND state = 'running' AND deadline_at_ms > :nowMs`;
const BEAT = `UPDATE workers SET beat_at_ms = :nowMs WHERE worker_id = :workerId`;

/**
 * Renews all leases of one worker from a thread with a connection of its own, so that a main loop that parses a PDF for a minute
 * keeps its leases. A step past its deadline is let go. While the main loop is silent nothing is renewed, and its next sign of life
 * renews at once: after a freeze of the whole process this timer, long due, runs before the signs that queued up.
 */
function run({ path, workerId, mainIsDeadMs }: HeartbeatData): void {
  const db = openFile(path);
  let beatMs = DEFAULT_BEAT_MS;
  let lastBeatAtMs = Date.now();
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
      renew(db, workerId);
      lastBeatAtMs = Date.now();
      timer = setTimeout(beat, beatMs);
    } catch (error) {
      if (!isBusy(error)) throw error;
      timer = setTimeout(beat, BUSY_PAUSE_MS * (0.5 + Math.random()));
    }
  }

  function receive(message: HeartbeatMessage): void {
    lastTickAtMs = performance.now();
    const sooner = message.beatMs < beatMs;
    beatMs = Math.min(beatMs, message.beatMs);
    // By the wall clock, as leases are: timers stand still while the machine sleeps.
    const dueInMs = lastBeatAtMs + beatMs - Date.now();
    if (!sooner && dueInMs > 0) return;
    clearTimeout(timer);
    timer = setTimeout(beat, Math.min(beatMs, Math.max(0, dueInMs)));
  }

  parentPort?.on('message', receive);
}

function renew(db: Database, workerId: string): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const values = { workerId, nowMs: Date.now() };
    db.prepare(RENEW).run(values);
    db.prepare(BEAT).run(values);
    db.exec('COMMIT');
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

run(workerData);
