import type { CliIo, CliStream } from '../io.ts';

/** `full`: a live panel; `plain`: one line per event; `none`: only what went wrong. */
export type DisplayKind = 'full' | 'plain' | 'none';

export const DISPLAY_KINDS: readonly DisplayKind[] = ['full', 'plain', 'none'];

type Env = CliIo['env'];

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

/** How progress is shown: what was chosen, else `none` for `-q`, else the panel where a person watches. No panel without a terminal. */
export function displayKind(stderr: CliStream, env: Env, chosen: DisplayKind | null, quiet: boolean): DisplayKind {
  const kind = chosen ?? (quiet ? 'none' : (displayFromEnv(env) ?? (isCi(env) ? 'plain' : 'full')));
  return kind === 'full' && (stderr.isTTY !== true || env.TERM === 'dumb') ? 'plain' : kind;
}

function displayFromEnv(env: Env): DisplayKind | undefined {
  return DISPLAY_KINDS.find((kind) => kind === env.AIEVAL_DISPLAY);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
