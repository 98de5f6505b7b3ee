import { Spool } from '../../spool/spool.ts';
import type { SpoolRecord } from '../../spool/spool-file.ts';
import { type Intake, type OnSpool, type SpoolPlaces, takeInLeftSpools } from '../../spool/spool-intake.ts';
import { tokenLocks } from '../locks.ts';
import { isStorageFailure } from '../postgres-errors.ts';
import { recordResponse } from '../steps/responses.ts';
import { recordSpooled } from '../steps/spooled.ts';
import type { Transactor } from '../transactor.ts';
import type { SpoolLocks } from './spool-locks.ts';

export type SpoolOptions = {
  readonly places: SpoolPlaces;
  /** Beside the files that the answers are kept in. */
  readonly locks: SpoolLocks;
  readonly onSpool: OnSpool;
};

const OTHER_PLACE = 'name a folder that you may write in XDG_STATE_HOME';

/** Paid answers on their way to the server: on this machine's disk while that does not take them. */
export class PaidAnswers {
  readonly #options: SpoolOptions;
  readonly #locks: SpoolLocks;
  readonly #intake: Intake;
  readonly #spool: Spool;

  /** `runOf`: the run of a lease of this process. */
  constructor(transactor: Transactor, runOf: (token: string) => string | null, options: SpoolOptions) {
    this.#options = options;
    this.#locks = options.locks;
    const record = ({ token, completion }: SpoolRecord) =>
      transactor.write(tokenLocks(token, runOf(token)), (tx) => recordResponse(tx, token, completion));
    this.#intake = (kept) => transactor.write(tokenLocks(kept.token, null), (tx) => recordSpooled(tx, kept));
    this.#spool = new Spool({ record, intake: this.#intake, isStorageFailure, advice: OTHER_PLACE }, options.places, options.onSpool);
  }

  /** Takes in those that earlier processes of this machine could not give to the server. */
  async takeInLeft(): Promise<void> {
    const isAlive = (workerId: string) => this.#locks.isAlive(workerId);
    await takeInLeftSpools({ isAlive, intake: this.#intake, ...this.#options });
  }

  /** The same of a worker that died; false where something of it stays, of which the next process hears. */
  async takeInOf(workerId: string): Promise<boolean> {
    const { places, onSpool } = this.#options;
    const onTaken: OnSpool = (news) => void (news.kind === 'taken' && onSpool(news));
    return (await takeInLeftSpools({ isAlive: () => false, intake: this.#intake, places, workerId, onSpool: onTaken })).complete;
  }

  /** Before the worker pays for anything. Throws `UserError` (exit 8) where no place has room. */
  async reserve(workerId: string): Promise<void> {
    await this.#locks.hold(workerId);
    try {
      this.#spool.reserve(workerId);
    } catch (error) {
      await this.#locks.release(workerId);
      throw error;
    }
  }

  /** See `Spool.record`. */
  record(token: string, completion: SpoolRecord['completion']): Promise<void> {
    return this.#spool.record({ token, completion });
  }

  /** What the worker kept is taken in, or left to the next process; its lock stays held. */
  release(workerId: string): Promise<void> {
    return this.#spool.release(workerId);
  }

  async close(): Promise<void> {
    await this.#spool.close();
    await this.#locks.close();
  }
}
