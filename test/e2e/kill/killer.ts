import { setTimeout as delay } from 'node:timers/promises';
import type { Ended } from '../../cli/binary.ts';
import { lastRecord, type Project } from '../project.ts';
import type { Base, Rows } from './database.ts';
import { Fleet, type Member, type Record } from './fleet.ts';
import type { Oracle } from './oracle.ts';
import type { Random } from './random.ts';
import { LEASE, runCommand, runsOf, type Work } from './work.ts';

type Blow = 'kill' | 'freeze' | 'nap' | 'SIGTERM' | 'SIGINT' | 'twice';

/** One deck after the other, shuffled: chance decides the order, never how often something comes. */
const DECK: readonly Blow[] = ['kill', 'kill', 'kill', 'freeze', 'freeze', 'nap', 'nap', 'SIGTERM', 'SIGINT', 'twice'];

/** Well below the 30 s for which the others wait for a lock that the frozen one may hold, and the 10 s of a preflight. */
const FREEZE_MS = { least: LEASE.ttlMs + 300, most: 2.5 * LEASE.ttlMs };
const NAP_MS = { least: 100, most: 1500 };
const BLOW_EVERY_MS = { least: 300, most: 1500 };
const STORE_BLOW_EVERY_MS = { least: 2000, most: 6000 };
/** So many blows wait, for a while, until a process has calls in flight: a death at a start proves little. */
const WAITING_SHARE = 0.85;
const TARGET_PATIENCE_MS = 5000;
const LOOK_EVERY_MS = 2000;
const STALL_MS = 1000;
/** A process may run on for a moment after SIGSTOP; what it then holds is not what it is frozen with. */
const SETTLE_MS = 300;

/** Something that is done to the store itself, in turn with the other blows, and how often it was. */
export type StoreBlow = { readonly name: string; readonly deal: () => Promise<void> };

export type Chaos = {
  readonly place: Project;
  readonly base: Base;
  /** What befalls the store, over and over. */
  readonly storeBlows: readonly StoreBlow[];
  readonly oracle: Oracle;
  readonly work: Work;
  readonly random: Random;
  readonly seconds: number;
  readonly processes: number;
};

export type Aftermath = {
  readonly fleet: Fleet;
  readonly rows: Rows;
  /** What was seen on the way that must not be. */
  readonly broken: readonly string[];
  /** How often what was done; `openAtDeath` are calls open at the server when their process was killed. */
  readonly counts: { readonly [what: string]: number };
};

/** Lets processes work on one folder and kills, freezes and signals them until the time is up; then lets them end and drains the rest. */
export class Killer {
  readonly #chaos: Chaos;
  readonly #fleet: Fleet;
  readonly #broken = new Set<string>();
  readonly #counts: { [what: string]: number } = {};
  readonly #freezes = new Set<Promise<void>>();
  #rows: Rows | null = null;
  #over = false;

  constructor(chaos: Chaos) {
    this.#chaos = chaos;
    this.#fleet = new Fleet(chaos.place.dir, chaos.base.env);
  }

  async rage(): Promise<Aftermath> {
    const { seconds, processes } = this.#chaos;
    const stalls = this.#watchForStalls();
    const slots = Array.from({ length: processes }, () => this.#keepBusy());
    await this.#firstRun();
    const looks = this.#look();
    const untilMs = Date.now() + seconds * 1000;
    const blows = this.#strike(untilMs);
    const storm = this.#storm(untilMs);
    await this.#firstError([blows, storm, looks, ...slots], blows);
    this.#over = true;
    await Promise.all([looks, storm, ...slots, ...this.#freezes]);
    await this.#drain();
    clearInterval(stalls);
    return { fleet: this.#fleet, rows: this.#database(), broken: [...this.#broken], counts: this.#counts };
  }

  async close(): Promise<void> {
    this.#over = true;
    await this.#fleet.close();
    await this.#rows?.close();
  }

  /** A part that throws must not leave the others waiting for the end of time. */
  async #firstError(parts: readonly Promise<void>[], until: Promise<void>): Promise<void> {
    await Promise.race([until, ...parts.map((part) => part.then(() => until))]);
  }

  #count(what: string, by = 1): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + by;
  }

  #database(): Rows {
    if (this.#rows === null) throw new Error('There is nothing to look at yet');
    return this.#rows;
  }

  /** One process after the other, until the time is up. */
  async #keepBusy(): Promise<void> {
    while (!this.#over) {
      const runs = this.#rows === null ? [] : await runsOf(this.#rows);
      this.#check(await this.#fleet.run(this.#chaos.work.next(runs)));
    }
  }

  async #firstRun(): Promise<void> {
    while (!this.#over && this.#chaos.oracle.calls.length === 0) await delay(50);
    this.#rows = await this.#chaos.base.open();
  }

  /** Every end that nobody asked for must be one of finished work. */
  #check({ member, ended }: Record): void {
    const { label, args, child, killed, signals } = member;
    const name = child.signalCode;
    const asked = signals.some((signal) => signal.name === name || ended.exitCode === EXIT_OF[signal.name]);
    // 3: jobs that failed are errors. 5 and 7: a retry that came too late, or beside another run of the same manifest.
    const fine = [0, 3, ...(args[0] === 'retry' ? [5, 7] : [])];
    if (killed || asked || fine.includes(ended.exitCode ?? -1)) return;
    this.#broken.add(`${label} (${args.join(' ')}) ended with ${ended.exitCode ?? name}: ${ended.stderr.slice(-600)}`);
  }

  async #strike(untilMs: number): Promise<void> {
    const { random } = this.#chaos;
    let deck: Blow[] = [];
    while (Date.now() < untilMs) {
      await delay(random.between(BLOW_EVERY_MS.least, BLOW_EVERY_MS.most));
      const [blow, ...rest] = deck.length > 0 ? deck : random.shuffled(DECK);
      const target = await this.#target(blow);
      if (blow === undefined || target === undefined) continue;
      deck = rest;
      this.#deal(blow, target);
    }
  }

  /** One blow at the store after the other, with time to recover. */
  async #storm(untilMs: number): Promise<void> {
    const { storeBlows, random } = this.#chaos;
    for (let dealt = 0; storeBlows.length > 0 && Date.now() < untilMs; dealt += 1) {
      await delay(random.between(STORE_BLOW_EVERY_MS.least, STORE_BLOW_EVERY_MS.most));
      const blow = storeBlows[dealt % storeBlows.length];
      if (blow === undefined) continue;
      await blow.deal();
      this.#count(blow.name);
    }
  }

  /** Mostly one with calls in flight; signals go to those that had none yet. */
  async #target(blow: Blow | undefined): Promise<Member | undefined> {
    const { random, oracle } = this.#chaos;
    const untilMs = random.chance(WAITING_SHARE) ? Date.now() + TARGET_PATIENCE_MS : 0;
    const mayTake = ({ signals }: Member): boolean => signals.length === 0 || blow === 'kill' || blow === 'freeze';
    for (;;) {
      const running = this.#fleet.running().filter(mayTake);
      const calling = running.filter(({ label }) => oracle.openOf(label) > 0);
      if (calling.length > 0 || Date.now() >= untilMs) return random.pick(calling.length > 0 ? calling : running);
      await delay(20);
    }
  }

  #deal(blow: Blow, target: Member): void {
    const { random } = this.#chaos;
    switch (blow) {
      case 'kill':
        this.#kill(target);
        break;
      case 'freeze':
        this.#freeze(target, random.between(FREEZE_MS.least, FREEZE_MS.most), random.chance(0.2));
        break;
      case 'nap':
        this.#freeze(target, random.between(NAP_MS.least, NAP_MS.most), false);
        break;
      case 'twice':
        this.#fleet.signal(target, 'SIGTERM');
        this.#during(delay(random.between(0, 300)).then(() => this.#signalAgain(target)));
        break;
      default:
        this.#count(blow);
        this.#fleet.signal(target, blow);
    }
  }

  #signalAgain(target: Member): void {
    if (!this.#fleet.running().includes(target)) return;
    this.#count('second signals');
    this.#fleet.signal(target, 'SIGINT');
  }

  #kill(target: Member): void {
    this.#count('SIGKILL');
    this.#count('open at a SIGKILL', this.#chaos.oracle.openOf(target.label));
    this.#fleet.kill(target);
  }

  #freeze(target: Member, ms: number, thenKill: boolean): void {
    const open = this.#chaos.oracle.openOf(target.label);
    const frozen = this.#fleet.freeze(target, LEASE.ttlMs, () => this.#wait(ms));
    this.#during(
      frozen.then((tookMs) => {
        const long = tookMs >= LEASE.ttlMs;
        this.#count(long ? 'freezes longer than a lease' : 'shorter freezes');
        if (long) this.#count('open at such a freeze', open);
        if (thenKill) this.#kill(target);
      }),
    );
  }

  /** Whether nobody could write all the while: then the frozen process holds the lock. */
  async #wait(ms: number): Promise<{ heldLock: boolean }> {
    const untilMs = Date.now() + ms;
    await delay(Math.min(ms, SETTLE_MS));
    let heldLock = true;
    while (Date.now() < untilMs) {
      if (heldLock && this.#database().lockIsFree()) heldLock = false;
      await delay(25);
    }
    if (heldLock && ms > LEASE.ttlMs) this.#count('freezes inside a transaction');
    return { heldLock };
  }

  #during(work: Promise<void>): void {
    const tracked = work.finally(() => this.#freezes.delete(tracked));
    this.#freezes.add(tracked);
  }

  /** From a second terminal: `status` answers whatever the others do, and the rows are true at every moment. */
  async #look(): Promise<void> {
    const rows = this.#database();
    while (!this.#over) {
      for (const broken of await rows.broken()) this.#broken.add(`while it ran: ${broken}`);
      const run = this.#chaos.random.pick(await runsOf(rows));
      const ended = await this.#chaos.place.aieval('status', ...(run === undefined ? [] : [run.runId]), '--json');
      this.#count('looks at the status');
      this.#checkStatus(ended);
      await delay(LOOK_EVERY_MS);
    }
  }

  #checkStatus({ exitCode, stdout, stderr }: Ended): void {
    if (exitCode !== 0) {
      this.#broken.add(`status ended with ${exitCode}: ${stderr.slice(-600)}`);
      return;
    }
    const { jobs, results } = lastRecord(stdout);
    if (!addsUp(jobs, ['queued', 'running', 'succeeded', 'failed', 'cancelled'])) this.#broken.add(`status does not add up: ${stdout}`);
    if (!addsUp(results, ['open', 'pass', 'fail', 'review', 'error'])) this.#broken.add(`status does not add up: ${stdout}`);
  }

  /** A pause of this very process was one of the whole machine, as far as anybody can tell. */
  #watchForStalls(): NodeJS.Timeout {
    let lastMs = Date.now();
    return setInterval(() => {
      const nowMs = Date.now();
      if (nowMs - lastMs > STALL_MS) {
        this.#fleet.disturbances.push({ worker: null, kind: 'stall', fromMs: lastMs, untilMs: nowMs });
        this.#count('stalls of the machine');
      }
      lastMs = nowMs;
    }, 100);
  }

  /** What a person would do: run each manifest that is not finished, ask the failed jobs again, once more, and look. */
  async #drain(): Promise<void> {
    const { work } = this.#chaos;
    const rows = this.#database();
    for (const name of work.unfinished(await runsOf(rows))) await this.#drainBy(runCommand(name));
    for (const { runId, failed } of await runsOf(rows)) if (failed > 0) await this.#drainBy(work.retry(runId));
    const left = work.unfinished(await runsOf(rows));
    if (left.length > 0) this.#broken.add(`still unfinished after a clean run: ${left.join(', ')}`);
  }

  async #drainBy(args: readonly string[]): Promise<void> {
    this.#count('clean commands at the end');
    this.#check(await this.#fleet.run(args));
  }
}

const EXIT_OF = { SIGINT: 130, SIGTERM: 143 } as const;

function addsUp(record: unknown, parts: readonly string[]): boolean {
  if (typeof record !== 'object' || record === null) return false;
  const counts = new Map<string, unknown>(Object.entries(record));
  return counts.get('total') === parts.reduce((sum, part) => sum + Number(counts.get(part)), 0);
}
