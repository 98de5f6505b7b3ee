import type { ChildProcess } from 'node:child_process';
import { type Ended, ended, start } from '../../cli/binary.ts';

/** Something that may cost a call a second time. `worker: null` is felt by all. */
export type Disturbance = {
  readonly worker: string | null;
  /**
   * `kill` SIGKILL; `second` a second signal; `grace` a first one whose grace ran out; `freeze` SIGSTOP for longer than a lease;
   * `nap` a shorter one, which excuses nothing; `lock` a long freeze inside a write transaction, where nobody's lease can be renewed; `stall` the whole machine stood still.
   */
  readonly kind: 'kill' | 'second' | 'grace' | 'freeze' | 'nap' | 'lock' | 'stall';
  readonly fromMs: number;
  readonly untilMs: number;
};

/** Environment variable with a process's name, which each of its requests carries. */
export const LABEL_VARIABLE = 'WORKER_LABEL';

/** One real process, from its start to its end. */
export type Member = {
  readonly label: string;
  readonly args: readonly string[];
  readonly child: ChildProcess;
  readonly end: Promise<Ended>;
  readonly signals: { readonly name: 'SIGINT' | 'SIGTERM'; readonly atMs: number }[];
  frozen: boolean;
  killed: boolean;
};

/** A member that ended, and how. */
export type Record = { readonly member: Member; readonly ended: Ended };

/** How long the program lets calls run after SIGTERM, less what a timer may be early. */
const GRACE_MS = 9500;

/** The processes of one folder: all that were started, and all that was done to them. */
export class Fleet {
  readonly #cwd: string;
  readonly #env: { readonly [name: string]: string };
  readonly #members: Member[] = [];
  readonly records: Record[] = [];
  readonly disturbances: Disturbance[] = [];

  constructor(cwd: string, env: { readonly [name: string]: string }) {
    this.#cwd = cwd;
    this.#env = env;
    process.once('exit', this.#killAll);
  }

  get started(): number {
    return this.#members.length;
  }

  start(args: readonly string[]): Member {
    const label = `w${this.#members.length + 1}`;
    const child = start(args, { cwd: this.#cwd, env: { ...this.#env, [LABEL_VARIABLE]: label } });
    const member: Member = { label, args, child, end: ended(child), signals: [], frozen: false, killed: false };
    this.#members.push(member);
    return member;
  }

  /** Starts a process and waits for its end. */
  async run(args: readonly string[]): Promise<Record> {
    const member = this.start(args);
    const record = { member, ended: await member.end };
    const asked = member.signals[0];
    if (asked !== undefined && Date.now() - asked.atMs > GRACE_MS) this.#note('grace', member.label, asked.atMs);
    this.records.push(record);
    return record;
  }

  /** Those that run and are not frozen. */
  running(): Member[] {
    return this.#members.filter((member) => isAlive(member) && !member.frozen && !member.killed);
  }

  kill(member: Member): void {
    member.killed = true;
    this.#note('kill', member.label, Date.now());
    member.child.kill('SIGKILL');
  }

  signal(member: Member, name: 'SIGINT' | 'SIGTERM'): void {
    member.signals.push({ name, atMs: Date.now() });
    if (member.signals.length > 1) this.#note('second', member.label, Date.now());
    member.child.kill(name);
  }

  /** Stops it for as long as `wait` takes; a freeze longer than a lease is a disturbance. Returns how long it was, in ms. */
  async freeze(member: Member, leaseMs: number, wait: () => Promise<{ readonly heldLock: boolean }>): Promise<number> {
    const fromMs = Date.now();
    member.frozen = true;
    member.child.kill('SIGSTOP');
    try {
      const { heldLock } = await wait();
      const untilMs = Date.now();
      const kind = untilMs - fromMs >= leaseMs ? 'freeze' : 'nap';
      this.disturbances.push({ worker: member.label, kind, fromMs, untilMs });
      if (untilMs - fromMs >= leaseMs && heldLock) this.disturbances.push({ worker: null, kind: 'lock', fromMs, untilMs });
      return untilMs - fromMs;
    } finally {
      member.child.kill('SIGCONT');
      member.frozen = false;
    }
  }

  /** Ends whatever is left, frozen or not. */
  async close(): Promise<void> {
    process.off('exit', this.#killAll);
    this.#killAll();
    await Promise.all(this.#members.map(({ end }) => end));
  }

  /** Also where the test runner ends early: a frozen process would stay for ever. */
  readonly #killAll = (): void => {
    for (const { child } of this.#members.filter(isAlive)) child.kill('SIGKILL');
  };

  #note(kind: 'kill' | 'second' | 'grace', worker: string, fromMs: number): void {
    this.disturbances.push({ worker, kind, fromMs, untilMs: Date.now() });
  }
}

function isAlive({ child }: Member): boolean {
  return child.exitCode === null && child.signalCode === null;
}
