import type { EngineEvent } from '../../engine/events.ts';
import type { CliIo } from '../io.ts';
import { panelFits, usableColumns } from '../terminal/look.ts';
import { painter } from '../terminal/style.ts';
import type { Display } from './display.ts';
import { outcomeLines } from './outcome.ts';
import { documentsLine, panelLines } from './panel.ts';
import { Progress } from './progress.ts';
import { scrollLine } from './scroll-line.ts';

/**
 * The panel is drawn twice a second by itself, and at most twice more for lines that scroll past: four redraws a second are enough
 * for a person and little enough for a slow connection.
 */
const REDRAW_MS = 500;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** Where a terminal has lost its size. */
const USUAL_COLUMNS = 80;
/** ora puts two blanks between its sign and the text. */
const SPINNER_COLUMNS = 3;

/**
 * The live panel on a terminal: one ora whose text is the panel; what went wrong scrolls past above it. Lines are collected and
 * written together, since each write redraws the panel.
 */
export async function fullDisplay(io: CliIo, colour: boolean): Promise<Display> {
  const { default: ora } = await import('ora');
  const paint = painter(colour);
  const progress = new Progress();
  const scroll = new ScrollBuffer((text) => io.stderr.write(text));
  let reading: Extract<EngineEvent, { kind: 'documents.progress' }> | null = null;
  const columns = (): number => usableColumns(io.stderr, USUAL_COLUMNS) - 1;
  const panel = (): string => {
    const room = columns() - SPINNER_COLUMNS;
    if (reading !== null) return documentsLine(reading.done, reading.total, reading.documentId, room);
    const look = { columns: room, rows: io.stderr.rows ?? 24, paint, nowMs: io.now() };
    return panelLines(progress, look).join(`\n${' '.repeat(SPINNER_COLUMNS)}`);
  };
  const spinner = ora({
    stream: io.stderr,
    // Raw mode would take Ctrl-Z and Ctrl-\ from the user.
    discardStdin: false,
    isEnabled: true,
    color: colour ? 'cyan' : false,
    spinner: { interval: REDRAW_MS, frames: FRAMES },
    // Built when it is drawn, so that events cost nothing between two redraws.
    suffixText: () => panel(),
  });
  let open = false;
  // ora divides by the columns: at 0 it would clear lines for ever. While there is no room the lines scroll past without a panel.
  const draw = (): void => {
    const wanted = open && panelFits(io.stderr);
    if (wanted && !spinner.isSpinning) spinner.start();
    if (!wanted && spinner.isSpinning) spinner.stop();
  };
  io.stderr.on('resize', draw);
  const stop = (): void => {
    open = false;
    io.stderr.off('resize', draw);
    scroll.flush();
    spinner.stop();
  };
  return {
    onEvent(event) {
      progress.onEvent(event);
      if (event.kind === 'documents.progress') reading = event;
      if (event.kind === 'run.started') reading = null;
      const line = scrollLine(event, columns(), paint);
      if (line !== null) scroll.add(line);
      open = true;
      draw();
    },
    onTotals: (totals) => progress.onTotals(totals, io.now()),
    onFinished(outcome) {
      stop();
      for (const line of outcomeLines(outcome, { cwd: io.cwd, paint, columns: columns() })) io.stderr.write(`${line}\n`);
    },
    close: stop,
  };
}

/** Lines on their way above the panel: the first of a burst at once, the rest together a moment later. */
class ScrollBuffer {
  readonly #write: (text: string) => void;
  #lines: string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(line: string): void {
    this.#lines.push(line);
    if (this.#timer === null) this.#writeThenWait();
  }

  /** Writes what is left, now. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writeAll();
  }

  #writeThenWait(): void {
    this.#writeAll();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#lines.length > 0) this.#writeThenWait();
    }, REDRAW_MS);
    this.#timer.unref();
  }

  #writeAll(): void {
    if (this.#lines.length === 0) return;
    this.#write(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
  }
}
