import type { Store } from '../../../src/store/store.ts';
import type { Claim } from '../../../src/store/work.ts';
import { Bench, Clock } from '../bench.ts';
import { worker } from '../rows.ts';
import { Beliefs, type Holder } from './beliefs.ts';

/** One beat of a worker, as its heartbeat thread sends it. */
type Beat = { readonly workerId: string; readonly nowMs: number; readonly jumpMs: number; readonly elapsedMs: number };

/** How the machine opens a further store on the same place, and what its processes do there besides the store's verbs. */
export type Place = {
  readonly open: (clock: () => number, monotonic: () => number) => Promise<Store>;
  readonly beat: (beat: Beat) => void | Promise<void>;
  /** The kernel frees what the process held; its rows stay. */
  readonly kill: (store: Store, workerId: string) => Promise<void>;
};

const BEAT_MS = 15_000;

/** A process of aieval: one store, one worker, and the claims that it believes to hold. */
export type Process = Holder & { readonly bench: Bench; readonly held: Claim[]; wallMs: number };

/** A computer: a wall clock that may jump, a clock that only goes forward, and processes that beat while they are awake. */
export class Machine {
  readonly wall = new Clock();
  readonly beliefs = new Beliefs();
  readonly processes: Process[] = [];
  readonly #place: Place;
  #started = 0;
  monotonicMs = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  async start(): Promise<Process> {
    this.#started += 1;
    const workerId = `w${this.#started}`;
    const bench = new Bench(await this.#place.open(this.wall.read, () => this.monotonicMs), this.wall);
    const started = { workerId, bench, held: [], alive: true, frozen: false, lastBeatMs: this.monotonicMs, wallMs: this.wall.nowMs };
    await bench.store.registerWorker(worker(workerId));
    this.processes.push(started);
    return started;
  }

  awake(): Process[] {
    return this.processes.filter(({ alive, frozen }) => alive && !frozen);
  }

  async kill(process: Process): Promise<void> {
    process.alive = false;
    process.held.length = 0;
    await this.#place.kill(process.bench.store, process.workerId);
  }

  async leave(process: Process): Promise<void> {
    await process.bench.store.removeWorker(process.workerId);
    this.beliefs.left(process);
    process.alive = false;
    process.held.length = 0;
    await process.bench.store.close();
  }

  /** Real time: both clocks go on, and who is awake beats. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= BEAT_MS) {
      const step = Math.min(left, BEAT_MS);
      this.wall.pass(step);
      this.monotonicMs += step;
      for (const process of this.awake()) await this.#beat(process);
    }
  }

  /** The wall clock alone: it was set, or the machine slept. */
  jump(ms: number): void {
    this.wall.pass(ms);
  }

  async #beat(process: Process): Promise<void> {
    const elapsedMs = this.monotonicMs - process.lastBeatMs;
    const jumpMs = this.wall.nowMs - process.wallMs - elapsedMs;
    await this.#place.beat({ workerId: process.workerId, nowMs: this.wall.nowMs, jumpMs: Math.abs(jumpMs) > 1000 ? jumpMs : 0, elapsedMs });
    process.lastBeatMs = this.monotonicMs;
    process.wallMs = this.wall.nowMs;
  }
}
