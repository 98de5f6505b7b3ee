import { Readable, Writable } from 'node:stream';
import type { CliInput, CliIo, StopSignal } from '../../src/cli/io.ts';

/** A stream that keeps what is written to it; with `columns` it passes for a terminal. */
export class FakeStream extends Writable {
  readonly isTTY: boolean;
  columns: number | undefined;
  rows: number | undefined;
  readonly chunks: string[] = [];

  constructor(columns?: number, rows = 24) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
    this.columns = columns;
    this.rows = columns === undefined ? undefined : rows;
  }

  get text(): string {
    return this.chunks.join('');
  }

  get lines(): string[] {
    return this.text.split('\n').slice(0, -1);
  }

  /** As a terminal does it: the new size is there when listeners hear of it. */
  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.emit('resize');
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.chunks.push(String(chunk));
    done();
  }

  cursorTo(x: number): boolean {
    return this.write(`\u001b[${x + 1}G`);
  }

  moveCursor(_x: number, y: number): boolean {
    return this.write(`\u001b[${-y}A`);
  }

  clearLine(): boolean {
    return this.write('\u001b[K');
  }
}

export type FakeIo = CliIo & {
  readonly stdout: FakeStream;
  readonly stderr: FakeStream;
  nowMs: number;
  isInFront: boolean;
  signal(signal: StopSignal): void;
  suspend(): void;
  goOn(): void;
};

/** A world of its own: a clock that stands still until it is moved, sleeps that return at once after moving it. */
export function fakeIo(
  options: { cwd?: string; env?: Record<string, string>; stdout?: FakeStream; stderr?: FakeStream; stdin?: CliInput } = {},
): FakeIo {
  const listeners = new Set<(signal: StopSignal) => void>();
  const suspensions = new Set<{ before(): void; after(): void }>();
  const each = (step: 'before' | 'after'): void => {
    for (const suspension of suspensions) suspension[step]();
  };
  const io: FakeIo = {
    cwd: options.cwd ?? '/home/ann/spec',
    env: options.env ?? {},
    stdout: options.stdout ?? new FakeStream(),
    stderr: options.stderr ?? new FakeStream(),
    stdin: () => options.stdin ?? Readable.from([]),
    pid: 4711,
    userId: null,
    nowMs: Date.UTC(2026, 10, 29, 13, 12, 30),
    now: () => io.nowMs,
    sleep: async (ms) => {
      io.nowMs += ms;
    },
    stdoutOpen: () => true,
    isInFront: true,
    inForeground: () => io.isInFront,
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onSuspend(before, after) {
      const suspension = { before, after };
      suspensions.add(suspension);
      return () => suspensions.delete(suspension);
    },
    notes: {
      lead: 'aieval',
      stateFolder: null,
      runId: null,
      env: null,
      envFiles: [],
      envPlace: null,
      argv: [],
      onAside: null,
      closeDisplay: null,
    },
    exitNow: () => undefined,
    suspend: () => each('before'),
    goOn: () => each('after'),
    signal(signal) {
      for (const listener of listeners) listener(signal);
    },
  };
  return io;
}
