import { statSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { ok, problem } from '../../finding.ts';
import type { Inspection } from '../../maintenance.ts';
import { isBusy } from '../sqlite-errors.ts';
import type { SeenWorker } from '../workers/seen-workers.ts';
import { isStopped, readOrNull, writerOf } from './inspect-processes.ts';
import { nameOf } from './inspect-workers.ts';

const PATIENCE_MS = 3000;
const PAUSE_MS = 100;

/** Whether the write lock can be had; if not, who has it. */
export async function inspectLock(path: string, see: () => readonly SeenWorker[]): Promise<Inspection> {
  if (await canWrite(path)) return ok('lock', 'the write lock can be had');
  const shm = statSync(`${path}-shm`, { throwIfNoEntry: false });
  const pid = shm === undefined ? null : writerOf(readOrNull('/proc/locks') ?? '', shm.ino);
  const workers = see().filter(({ here }) => here);
  return pid === null ? unseenHolder(workers) : holder(pid, workers);
}

/** Only a write tells that a file is read-only; it changes nothing and is taken back. */
const TRY_TO_WRITE = `DELETE FROM settings WHERE name = ''`;

async function canWrite(path: string): Promise<boolean> {
  const db = new BetterSqlite3(path, { fileMustExist: true, timeout: 0 });
  const startedAtMs = performance.now();
  try {
    for (;;) {
      try {
        db.exec('BEGIN IMMEDIATE');
        db.exec(TRY_TO_WRITE);
        return true;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() - startedAtMs > PATIENCE_MS) return false;
      } finally {
        if (db.inTransaction) db.exec('ROLLBACK');
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    db.close();
  }
}

const STOPPED = 'is stopped (SIGSTOP or Ctrl-Z)';
const EFFECT = 'nothing can be written until it goes on or ends';

function holder(pid: number, workers: readonly SeenWorker[]): Inspection {
  const worker = workers.find((one) => one.pid === pid);
  const who = worker === undefined ? `process ${pid}` : nameOf(worker);
  if (isStopped(pid)) return problem('lock', `${who} ${STOPPED} and holds the write lock: ${EFFECT}.`, [`kill -CONT ${pid}`]);
  return problem('lock', `${who} has held the write lock for ${PATIENCE_MS / 1000} s: ${EFFECT}.`, [`ps -fp ${pid}`]);
}

/** The pid may be another's by now, or another's in this container. */
function unseenHolder(workers: readonly SeenWorker[]): Inspection {
  const stopped = workers.filter(({ pid }) => isStopped(pid));
  if (stopped.length === 0) {
    return problem('lock', 'another program holds the write lock (backup, sync client, database viewer?).', [
      'close the other program and repeat the command',
    ]);
  }
  const text = stopped.map((worker) => `${nameOf(worker)} ${STOPPED} and probably holds the write lock`).join('; ');
  return problem(
    'lock',
    `${text}: ${EFFECT}.`,
    stopped.map(({ pid }) => `kill -CONT ${pid}`),
  );
}
