import type { CliIo, CliStream } from '../io.ts';

/** `full`: a live panel; `plain`: one line per event; `none`: only what went wrong. */
export type DisplayKind = 'full' | 'plain' | 'none';

export const DISPLAY_KINDS: readonly DisplayKind[] = ['full', 'plain', 'none'];

type Env = CliIo['env'];

/** Below this there is no panel. A terminal that was never told its size says 0 (`script`, `expect`, some containers). */
const FEWEST_COLUMNS = 20;
const FEWEST_ROWS = 2;

/** Whether a stream is a terminal on which a panel can be drawn now. */
export function panelFits({ isTTY, columns = 0, rows = 0 }: CliStream): boolean {
  return isTTY === true && columns >= FEWEST_COLUMNS && rows >= FEWEST_ROWS;
}

/** The width to write for: that of a terminal which knows it, else `otherwise`. */
export function usableColumns({ columns = 0 }: CliStream, otherwise: number): number {
  return columns >= FEWEST_COLUMNS ? columns : otherwise;
}

/** `CI` set, and not to a word for no. */
export function isCi(env: Env): boolean {
  return isSet(env.CI) && env.CI !== 'false' && env.CI !== '0';
}

/**
 * Whether a stream gets colour: `--no-color`, then NO_COLOR, then FORCE_COLOR, then TERM=dumb, then whether it is a terminal.
 * Decided per stream, since one of the two may be a pipe.
 */
export function wantsColour(stream: CliStream, env: Env, noColourFlag: boolean): boolean {
  if (noColourFlag || isSet(env.NO_COLOR)) return false;
  if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return env.TERM !== 'dumb' && stream.isTTY === true;
}

/** How progress is shown: what was chosen, else `none` for `-q`, else the panel where a person watches. No panel where none fits. */
export function displayKind(stderr: CliStream, env: Env, chosen: DisplayKind | null, quiet: boolean): DisplayKind {
  const kind = chosen ?? (quiet ? 'none' : (displayFromEnv(env) ?? (isCi(env) ? 'plain' : 'full')));
  return kind === 'full' && (!panelFits(stderr) || env.TERM === 'dumb') ? 'plain' : kind;
}

function displayFromEnv(env: Env): DisplayKind | undefined {
  return DISPLAY_KINDS.find((kind) => kind === env.AIEVAL_DISPLAY);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
