import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { goOnSteps } from './go-on.ts';
import type { ShownState, Snapshot } from './snapshot.ts';

/** So long a run that starts may stand without a worker. */
const ALONE_MS = 5000;

/** Says to whoever follows a run, once, that nothing will come by itself, and what goes on with it. */
export class QuietNotes {
  readonly #io: CliIo;
  readonly #globals: Globals;
  #state: ShownState = 'running';
  #sinceMs = 0;
  #isTold = false;

  constructor(io: CliIo, globals: Globals) {
    this.#io = io;
    this.#globals = globals;
  }

  /** How the run stands now. */
  look(snapshot: Snapshot): void {
    const { state, asOfMs } = snapshot;
    if (state !== this.#state) [this.#state, this.#sinceMs, this.#isTold] = [state, asOfMs, false];
    if (this.#isTold || this.#globals.quiet || (state !== 'interrupted' && state !== 'paused')) return;
    if (state === 'interrupted' && asOfMs - this.#sinceMs < ALONE_MS) return;
    this.#isTold = true;
    this.#io.stderr.write(`${asTyped(quietText(snapshot, this.#io.cwd), this.#io.notes.lead)}\n`);
  }
}

function quietText(snapshot: Snapshot, cwd: string): string {
  const { run, state } = snapshot;
  const what = state === 'paused' ? `run ${run.runId} is paused` : `nobody works on run ${run.runId} now`;
  return `note: ${what}; it goes on with: ${goOnSteps(snapshot, cwd).join(' · ')}`;
}
