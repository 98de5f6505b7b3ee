import { statSync } from 'node:fs';
import { Heartbeat } from '../../heartbeat.ts';
import type { LeaseWatch, OwnBeat } from '../../lease-watch.ts';
import { Liveness } from '../../machine/liveness.ts';
import type { NewWorker } from '../../plan-rows.ts';
import type { WorkerRow } from '../../rows.ts';
import type { FilesLock } from '../../store.ts';
import type { Sql } from '../sql.ts';
import { refusal, storageError } from '../sqlite-errors.ts';
import { leases } from '../steps/reap.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { DeathWatch } from './death-watch.ts';
import { lockFiles } from './files-lock.ts';
import { HostWatch } from './host-watch.ts';
import { lockRefusal } from './lock-refusal.ts';
import { seeWorkers } from './seen-workers.ts';
import { keepRegistered, registerWorker, removeWorker, workers } from './workers.ts';

export type WorkerOptions = {
  /** The database's file. */
  readonly path: string;
  /** This boot of this machine. */
  readonly hostId: string;
  /** Milliseconds from any start; never goes back, and stands still or goes on while the machine sleeps. */
  readonly monotonic: () => number;
  readonly watch: LeaseWatch;
  /** Compiled `heartbeat-thread`; `null` when nothing renews leases (tests with a clock of their own). */
  readonly thread: URL | null;
  readonly onHeartbeatLost: (error: Error) => void;
  readonly onForeignHost: (hostname: string) => void;
};

const TICK_MS = 1000;

/** The workers of this process, and what it knows of all others: who beats, who is dead, which leases stand still. */
export class WorkerRegistry {
  readonly #transactor: Transactor;
  readonly #options: WorkerOptions;
  readonly #own = new Map<string, NewWorker>();
  readonly #heartbeats = new Map<string, Heartbeat>();
  readonly #deathWatch: DeathWatch;
  readonly liveness: Liveness;
  /** Of the database's file when it was opened. */
  readonly #identity: string | null;
  #ticker: NodeJS.Timeout | undefined;

  constructor(transactor: Transactor, options: WorkerOptions) {
    this.#identity = identityOf(options.path);
    this.#transactor = transactor;
    this.#options = options;
    this.liveness = new Liveness(options.path);
    const { onForeignHost, monotonic } = options;
    const hosts = new HostWatch(monotonic);
    this.#deathWatch = new DeathWatch({ transactor, liveness: this.liveness, hosts, monotonic, onForeignHost });
  }

  async register(worker: NewWorker): Promise<void> {
    await this.#deathWatch.refuseSecondHost(worker);
    this.#locked(() => this.liveness.hold(worker.workerId));
    await this.#transactor.write((tx) => registerWorker(tx, worker));
    this.#own.set(worker.workerId, worker);
    const { thread, path, onHeartbeatLost } = this.#options;
    if (thread === null || this.#heartbeats.has(worker.workerId)) return;
    this.#heartbeats.set(worker.workerId, new Heartbeat(thread, { workerId: worker.workerId, store: { path } }, onHeartbeatLost));
    this.#startTicking();
  }

  #locked(lock: () => void): void {
    try {
      lock();
    } catch (error) {
      throw lockRefusal(error, this.liveness.folder);
    }
  }

  async remove(workerId: string): Promise<void> {
    await this.#transactor.write((tx) => removeWorker(tx, workerId));
    this.#own.delete(workerId);
    this.liveness.release(workerId);
    const heartbeat = this.#heartbeats.get(workerId);
    this.#heartbeats.delete(workerId);
    if (this.#heartbeats.size === 0) clearInterval(this.#ticker);
    await heartbeat?.stop();
  }

  /** Before every claim. Throws as `throwIfLost` does, and when another host works here. */
  async beforeClaim(workerId: string): Promise<void> {
    this.throwIfLost();
    const worker = this.#own.get(workerId);
    if (worker !== undefined) await this.#deathWatch.look(worker);
  }

  /** Within a claim: a worker of this process that was taken for dead is there again. */
  keepRegistered(tx: Tx, workerId: string): void {
    const worker = this.#own.get(workerId);
    if (worker !== undefined) keepRegistered(tx, worker);
  }

  /** The worker now holds a lease that wants a beat every `beatMs`. */
  expectBeats(workerId: string, beatMs: number): void {
    this.#heartbeats.get(workerId)?.expect(beatMs);
  }

  /** Nothing new may start, no claim and no call, once leases are not renewed or the database is not where it was opened. */
  throwIfLost(): void {
    const { path } = this.#options;
    for (const heartbeat of this.#heartbeats.values()) heartbeat.throwIfLost((cause) => storageError(cause, path));
    if (identityOf(path) !== this.#identity) throw movedError(path);
  }

  async list(): Promise<readonly WorkerRow[]> {
    const { hostId } = this.#options;
    const seen = await this.#transactor.read(({ sql, nowMs }) => seeWorkers(sql, { liveness: this.liveness, hostId, nowMs }));
    return seen.map(({ here, ...row }) => row);
  }

  lockFiles(runId: string): FilesLock | null {
    return lockFiles(this.liveness.folder, runId);
  }

  /** Before the database is closed. */
  async stopHeartbeats(): Promise<void> {
    clearInterval(this.#ticker);
    const heartbeats = [...this.#heartbeats.values()];
    this.#heartbeats.clear();
    await Promise.all(heartbeats.map((heartbeat) => heartbeat.stop()));
  }

  /** After it: who looks then finds no lock, and nothing to take. */
  releaseLocks(): void {
    this.liveness.close();
  }

  /** Watches the leases also while this process has no free slot to claim for, so that a frozen worker's time runs all along. */
  #startTicking(): void {
    clearInterval(this.#ticker);
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    this.#ticker.unref();
  }

  #tick(): void {
    const { watch } = this.#options;
    watch.tick();
    for (const workerId of this.#own.keys()) this.#locked(() => this.liveness.keep(workerId));
    this.#transactor
      .read(({ sql }) => {
        watch.noteOwnBeats(this.#ownBeats(sql));
        watch.note(leases(sql));
      })
      .catch(() => {
        // The next claim meets the same error, and tells it; not to have looked only delays a takeover.
      });
  }

  #ownBeats(sql: Sql): OwnBeat[] {
    return workers(sql).flatMap(({ workerId, beatAtMs }) => {
      const heartbeat = this.#heartbeats.get(workerId);
      return heartbeat === undefined ? [] : [{ workerId, beatAtMs, beatMs: heartbeat.beatMs }];
    });
  }
}

/** Which file a path leads to; `null` for none. Nothing is opened: that would drop the database's locks. */
function identityOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

function movedError(path: string): Error {
  return refusal(`${path} was moved, removed or replaced while it was in use; nothing more is started.`, [
    'put it back where it was, and repeat the command',
  ]);
}
