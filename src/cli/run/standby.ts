import { UserError } from '../../domain/errors.ts';
import { idlePauseMs } from '../../engine/idle-pause.ts';
import { isServer, shownLocation } from '../../store/location.ts';
import { storeExists } from '../../store/open.ts';
import type { ServerPatience } from '../../store/server-news.ts';
import type { WorkerOptions } from '../commands/options.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { listenForStop } from './stop.ts';
import { tellStandby, tellWorkerEnd } from './worker-words.ts';

/** Short looks: whoever asks it to leave while the server is away must not wait for that. */
async function isThere(location: string): Promise<boolean> {
  try {
    return await storeExists(location);
  } catch (error) {
    if (error instanceof UserError && error.code === 'E40') return false;
    throw error;
  }
}

/**
 * Waits until a server's database holds a run: a worker may be there before whoever plans. Returns at once for any other store. The exit
 * code of a signal that came first, or of a worker that leaves when it is idle, as it is there; else `null`.
 */
export async function awaitFirstRun(
  io: CliIo,
  globals: Pick<Globals, 'db' | 'quiet' | 'json'>,
  patience: ServerPatience,
  options: WorkerOptions,
): Promise<number | null> {
  const { db } = globals;
  if (db === null || !isServer(db) || (await storeExists(db, patience))) return null;
  if (options.exitWhenIdle === true) {
    tellWorkerEnd(io, globals, { exitCode: EXIT.pass, runs: [], left: [] }, `${shownLocation(db)} holds no runs yet.`);
    return EXIT.pass;
  }
  tellStandby(io, globals, db, options);
  const stop = listenForStop(
    io,
    () => 0,
    () => undefined,
  );
  try {
    for (let looks = 1; !stop.signals.stop.aborted; looks += 1) {
      await io.sleep(idlePauseMs(looks, Math.random()), stop.signals.stop);
      if (!stop.signals.stop.aborted && (await isThere(db))) return null;
    }
    return stop.exitCode();
  } finally {
    stop.close();
  }
}
