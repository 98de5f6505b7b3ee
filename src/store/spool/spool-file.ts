import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Completion } from '../../domain/completion.ts';
import { syncFolder } from './spool-folder.ts';

/** Whose answers a spool file holds. */
export type SpoolOwner = {
  readonly storeId: string;
  /** Which of the databases that have this id, because one is a copy of another. */
  readonly database: string;
  readonly workerId: string;
};

export type SpoolRecord = { readonly token: string; readonly completion: Completion };

// Never follows a link that someone put there, never takes over a file that is there already.
const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * A file that paid answers are written into when the database cannot take them: one line of JSON each, after a line that says whose
 * they are; the text ends at the first NUL. Room that is written and synced beforehand needs no free block any more, so that a full
 * disk does not matter. JSON holds no NUL: a record that was torn by a power cut ends at one without its line's end.
 */
export class SpoolFile {
  readonly path: string;
  readonly #fd: number;
  #end = 0;
  #sizeBytes = 0;
  #records = 0;

  private constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
  }

  /** Creates the file with room for `roomBytes`, durably. Its folder must exist. Throws the system's error and leaves no file behind. */
  static create(path: string, owner: SpoolOwner, roomBytes: number): SpoolFile {
    const file = new SpoolFile(path, openSync(path, CREATE, 0o600));
    try {
      const header = Buffer.from(`${JSON.stringify({ v: 1, ...owner })}\n`);
      file.#write(Buffer.concat([header, Buffer.alloc(roomBytes)]), 0);
      file.#end = header.length;
      file.#sizeBytes = header.length + roomBytes;
      fsyncSync(file.#fd);
      syncFolder(dirname(path));
      return file;
    } catch (error) {
      file.remove();
      throw error;
    }
  }

  /** Answers in the file. */
  get records(): number {
    return this.#records;
  }

  /** Someone removed it: what is written there now nobody will find. */
  get isGone(): boolean {
    return fstatSync(this.#fd).nlink === 0;
  }

  /** Adds an answer, durably when this returns. Throws the system's error, and then the file is what it was before. */
  append({ token, completion }: SpoolRecord): void {
    const line = Buffer.from(`${JSON.stringify({ v: 1, token, completion })}\n`);
    this.#extend(line.subarray(Math.max(0, this.#sizeBytes - this.#end)));
    this.#write(line.subarray(0, Math.max(0, this.#sizeBytes - this.#end)), this.#end);
    fsyncSync(this.#fd);
    this.#end += line.length;
    this.#sizeBytes = Math.max(this.#sizeBytes, this.#end);
    this.#records += 1;
  }

  /** Leaves the file as it is. */
  close(): void {
    closeSync(this.#fd);
  }

  remove(): void {
    this.close();
    removeSpool(this.path);
  }

  /** What goes beyond the room is written first: if the disk is full that fails before anything else was touched. */
  #extend(tail: Buffer): void {
    if (tail.length === 0) return;
    try {
      this.#write(tail, this.#sizeBytes);
    } catch (error) {
      ftruncateSync(this.#fd, this.#sizeBytes);
      throw error;
    }
  }

  /** All of it: at a limit the system writes a part and says so only at the next try. */
  #write(bytes: Buffer, position: number): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done, bytes.length - done, position + done);
  }
}

/** Removes a file that holds nothing that is needed; where that is not allowed it stays, and the next start tries again. */
export function removeSpool(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
  }
}
