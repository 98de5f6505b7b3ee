import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export type RotatingFileOptions = {
  /** Absolute. Older parts stand beside it: `.1` is the newest of them. */
  readonly path: string;
  /** A part that has grown beyond this is put away before the next line. */
  readonly maxBytes: number;
  /** Parts that are kept beside the one that is written. */
  readonly keep: number;
};

/**
 * Appends lines, each with one write, so that several processes can share a file: who finds that another has put it away follows to the new
 * one. If two put it away in the same instant, one part may be short; no line is lost but with the oldest part.
 */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #fd: number;

  /** Throws the system's error when it cannot be opened. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    mkdirSync(dirname(options.path), { recursive: true });
    this.#fd = openFile(options.path);
  }

  /** Throws the system's error when it cannot be written. */
  write(line: string): void {
    this.#follow();
    if (fstatSync(this.#fd).size >= this.#options.maxBytes) this.#putAway();
    writeSync(this.#fd, line);
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Also after a tool such as logrotate has moved or removed it. */
  #follow(): void {
    const own = fstatSync(this.#fd);
    const there = statSync(this.#options.path, { throwIfNoEntry: false });
    if (there === undefined || there.ino !== own.ino || there.dev !== own.dev) this.#reopen();
  }

  #putAway(): void {
    const { path, keep } = this.#options;
    rmSync(`${path}.${keep}`, { force: true });
    for (let part = keep - 1; part >= 0; part -= 1) moveIfThere(part === 0 ? path : `${path}.${part}`, `${path}.${part + 1}`);
    this.#reopen();
  }

  #reopen(): void {
    const fd = openFile(this.#options.path);
    closeSync(this.#fd);
    this.#fd = fd;
  }
}

/** Nobody else may read what is in it. */
function openFile(path: string): number {
  return openSync(path, 'a', 0o600);
}

function moveIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, to);
}
