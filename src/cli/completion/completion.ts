import type { Shell } from '../commands/options.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { completionScript } from './completion-scripts.ts';

/** `aieval completion SHELL`: the script for the shell, on stdout. */
export async function completionCommand(io: CliIo, _globals: Globals, shell: Shell): Promise<number> {
  io.stdout.write(completionScript(shell));
  return EXIT.pass;
}
