import { UserError } from '../../domain/errors.ts';
import type { RunRow } from '../../store/rows.ts';
import { EXIT } from '../exit-codes.ts';

/**
 * Lets a worker of all runs go on where the files of one run cannot be written, or where a run is gone when its end is told. Said once
 * a run; what is unwritten in the end counts for the exit code, and any later command writes it.
 */
export class FilesGuard {
  readonly #warn: (message: string) => void;
  readonly #unwritten = new Set<string>();

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  get exitCode(): number {
    return this.#unwritten.size > 0 ? EXIT.storage : EXIT.pass;
  }

  /** Writes the files of one job. */
  async project({ runId }: RunRow, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#note(runId, error, this.#unwritten.has(runId));
    }
  }

  /** Tells the end of a run, with all files that are not written yet. */
  async conclude({ runId }: RunRow, tell: (onUnwritten: (error: UserError) => void) => Promise<unknown>): Promise<void> {
    const isKnown = this.#unwritten.delete(runId);
    try {
      await tell((error) => this.#note(runId, error, isKnown));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.exitCode === EXIT.storage) this.#unwritten.add(runId);
      this.#warn(`run ${runId}: ${error.message}`);
    }
  }

  #note(runId: string, { message }: UserError, isKnown: boolean): void {
    this.#unwritten.add(runId);
    if (!isKnown) this.#warn(`the files of ${runId} are not written: ${message}`);
  }
}
