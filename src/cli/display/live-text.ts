import type { Ora } from 'ora';
import type { CliIo } from '../io.ts';
import { panelFits } from '../terminal/look.ts';
import { rowsOf } from '../terminal/width.ts';
import type { OnFault } from './unbroken.ts';

/** Often enough for a person, and little enough for a slow connection. */
const REDRAW_MS = 500;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** ora's own timer would draw beside ours: it sleeps, and its sign turns at each redraw. */
const SLEEPING = { interval: 2 ** 31 - 1, frames: FRAMES };
const TURNING = { interval: 1, frames: FRAMES };

/** ora puts two blanks between its sign and the text. */
export const SPINNER_COLUMNS = 3;
const INDENT = ' '.repeat(SPINNER_COLUMNS);

type World = {
  readonly io: CliIo;
  /** What stands at the bottom, line by line. */
  readonly lines: () => readonly string[];
  /** An ora that is not started, with this as its text: built when it is drawn, so that events cost nothing between two redraws. */
  readonly makeSpinner: (text: () => string) => Ora;
  /** Hears of an error in `lines`, after which nothing is drawn any more. */
  readonly onFault: OnFault;
};

/**
 * Lines that stay at the bottom of a terminal and are drawn anew, and others that scroll past above them. One timer draws both: each write
 * is a redraw, so what scrolls past waits for the next one.
 */
export class LiveText {
  readonly #world: World;
  readonly #spinner: Ora;
  /** As they were drawn last; nothing stands there when it is empty. */
  #drawn: readonly string[] = [];
  #scrolled: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #offSuspend: () => void = () => undefined;
  #state: 'stopped' | 'open' | 'suspended' | 'closed' = 'stopped';

  constructor(world: World) {
    this.#world = world;
    this.#spinner = world.makeSpinner(() => this.#text());
  }

  /** Draws from now on, wherever there is room. */
  open(): void {
    if (this.#state !== 'stopped') return;
    this.#state = 'open';
    const { io } = this.#world;
    io.stderr.on('resize', this.#onResize);
    this.#offSuspend = io.onSuspend(
      () => this.#suspend(),
      () => this.#goOn(),
    );
    this.#timer = setInterval(() => this.#redraw(), REDRAW_MS);
    this.#timer.unref();
    this.#draw();
  }

  /** Lets a line scroll past. */
  scroll(line: string): void {
    this.#scrolled.push(line);
    if (this.#state === 'stopped' || this.#state === 'closed') this.flush();
  }

  /** Writes what waits for the next redraw, now. */
  flush(): void {
    if (this.#scrolled.length === 0) return;
    const text = this.#scrolled.map((line) => `${line}\n`).join('');
    this.#scrolled = [];
    this.#world.io.stderr.write(text);
  }

  /** Leaves the terminal as it was; `open` begins anew. */
  stop(): void {
    clearInterval(this.#timer);
    this.#world.io.stderr.off('resize', this.#onResize);
    this.#offSuspend();
    if (this.#state !== 'closed') this.#state = 'stopped';
    this.flush();
    this.#erase();
  }

  /** The same for good: nothing that still happens draws again. */
  close(): void {
    this.stop();
    this.#state = 'closed';
  }

  /** ora divides by the columns: at 0 it would clear lines for ever. While there is no room the lines scroll past alone. */
  #draw(): void {
    const { io } = this.#world;
    const isWanted = this.#state === 'open' && panelFits(io.stderr) && io.inForeground();
    if (!isWanted) this.#erase();
    else if (!this.#spinner.isSpinning) this.#start();
  }

  #start(): void {
    this.#spinner.spinner = SLEEPING;
    this.#spinner.start();
    this.#spinner.spinner = TURNING;
  }

  /** A background job leaves the terminal to the shell; what scrolls past waits until it is brought back, or the end. */
  #redraw(): void {
    if (!this.#world.io.inForeground()) return;
    if (this.#scrolled.length > 0) this.flush();
    else if (this.#spinner.isSpinning) this.#spinner.render();
    else this.#draw();
  }

  #erase(): void {
    if (this.#spinner.isSpinning) this.#spinner.stop();
    this.#drawn = [];
  }

  #suspend(): void {
    if (this.#state !== 'open') return;
    this.#state = 'suspended';
    this.flush();
    this.#erase();
  }

  #goOn(): void {
    if (this.#state !== 'suspended') return;
    this.#state = 'open';
    this.#draw();
  }

  /** The terminal has broken lines anew that no longer fit: more of them stand there than ora would clear. */
  readonly #onResize = (): void => {
    const { stderr } = this.#world.io;
    const left = rowsOf(this.#drawn, stderr.columns ?? 0) - this.#drawn.length;
    this.#erase();
    if (left > 0) stderr.write(`\u001b[${left}A\u001b[0J`);
    this.#draw();
  };

  /** What breaks here would break again at the next redraw: the lines go first, then it is told, once. */
  #text(): string {
    try {
      const lines = this.#world.lines();
      this.#drawn = lines.map((line) => INDENT + line);
      return lines.join(`\n${INDENT}`);
    } catch (error) {
      if (this.#state !== 'closed') queueMicrotask(() => this.#fail(error));
      this.#state = 'closed';
      return '';
    }
  }

  #fail(error: unknown): void {
    this.close();
    this.#world.onFault(error);
  }
}
