import { jsonLine } from '../../domain/hostile-text.ts';
import type { SettingName } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';

/** `aieval store set NAME VALUE`: a setting that holds for all runs and processes on the database. `null` lifts it. */
export async function storeSetCommand(io: CliIo, globals: Globals, name: SettingName, value: number | null): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const before = await store.maxRunning();
    await store.setMaxRunning(value);
    if (globals.json) io.stdout.write(`${jsonLine({ v: 1, [name]: value, changed: before !== value })}\n`);
    else if (!globals.quiet) io.stdout.write(`${name} ${value ?? 'none'}\n`);
    return EXIT.pass;
  });
}

/** `aieval store show`: the settings. */
export async function storeShowCommand(io: CliIo, globals: Globals): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const maxRunning = await store.maxRunning();
    io.stdout.write(globals.json ? `${jsonLine({ v: 1, maxRunning })}\n` : `maxRunning ${maxRunning ?? 'none'}\n`);
    return EXIT.pass;
  });
}
