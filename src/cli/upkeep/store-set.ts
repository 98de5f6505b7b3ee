import { jsonLine } from '../../domain/hostile-text.ts';
import type { SettingName } from '../commands/options.ts';
import { openState, withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';

/**
 * `aieval store set NAME VALUE`: a setting that holds for all runs and processes on the database. `null` lifts it. Where there is no database
 * yet it is created, as by `run`: a cap should stand before the first call.
 */
export async function storeSetCommand(io: CliIo, globals: Globals, name: SettingName, value: number | null): Promise<number> {
  const { db, out } = globals;
  const { store } = await openState(io, { manifestPath: null, db, out, mustExist: false });
  try {
    const before = await store.maxRunning();
    await store.setMaxRunning(value);
    if (globals.json) io.stdout.write(`${jsonLine({ v: 1, [name]: value, changed: before !== value })}\n`);
    else if (!globals.quiet) io.stdout.write(`${name} ${value ?? 'none'}\n`);
    return EXIT.pass;
  } finally {
    await store.close();
  }
}

/** `aieval store show`: the settings. */
export async function storeShowCommand(io: CliIo, globals: Globals): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const maxRunning = await store.maxRunning();
    io.stdout.write(globals.json ? `${jsonLine({ v: 1, maxRunning })}\n` : `maxRunning ${maxRunning ?? 'none'}\n`);
    return EXIT.pass;
  });
}
