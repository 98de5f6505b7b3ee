import type { ServerPatience } from '../../store/server-news.ts';
import type { CliIo } from '../io.ts';
import { serverWords } from '../observe/server-words.ts';
import { RUN_PATIENCE_MS } from '../run/patience.ts';

/** Somebody who follows a run, and waits for its store's server as whoever works on it does. */
export class Following {
  readonly patience: ServerPatience;
  #hasSaid = false;

  constructor({ stderr }: Pick<CliIo, 'stderr'>) {
    const onServer: ServerPatience['onServer'] = (news) => {
      this.#hasSaid = true;
      stderr.write(`note: ${serverWords(news)}\n`);
    };
    this.patience = { patienceMs: RUN_PATIENCE_MS, onServer };
  }

  /** Whether something was said since this was asked last: a screen that was drawn before stands above it. */
  hasSaid(): boolean {
    const said = this.#hasSaid;
    this.#hasSaid = false;
    return said;
  }
}
