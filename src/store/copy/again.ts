import { setTimeout as pause } from 'node:timers/promises';
import { UserError } from '../../domain/errors.ts';
import { IN_SILENCE, type ServerPatience } from '../server-news.ts';

const PAUSE_MS = 500;
/** As with every other command: what lasts no longer is not worth a word. */
const WORTH_TELLING_MS = 2000;
/** One that breaks off so often within a copy needs somebody to look at it. */
const MOST_BREAKS = 10;

/**
 * Does `work`, all of which may be repeated, again while a server is away, and waits for that as long as other commands do. `reached` is
 * called when both stores answer: what fails after that is another absence.
 */
export async function againWhileAway<T>(
  work: (reached: () => void) => Promise<T>,
  onServer: ServerPatience['onServer'] = () => undefined,
): Promise<T> {
  const away: Away = { sinceMs: null, told: false };
  for (let breaks = 0; ; ) {
    // A try at which no store was reached was waiting, too.
    away.sinceMs ??= performance.now();
    try {
      return await work(() => Object.assign(away, { sinceMs: null, told: false }));
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'E40' || breaks > MOST_BREAKS) throw error;
      if (away.sinceMs === null) breaks += 1;
      away.sinceMs ??= performance.now();
      const awayMs = performance.now() - away.sinceMs;
      if (awayMs > IN_SILENCE.patienceMs) throw error;
      if (!away.told && awayMs >= WORTH_TELLING_MS) await tell(error, onServer);
      away.told ||= awayMs >= WORTH_TELLING_MS;
      await pause(PAUSE_MS);
    }
  }
}

/** `sinceMs`: `null` while all answer. */
type Away = { sinceMs: number | null; told: boolean };

async function tell(error: UserError, onServer: ServerPatience['onServer']): Promise<void> {
  const { awayOf } = await import('../postgres/storage-error.ts');
  onServer({ kind: 'away', ...awayOf(error), patienceMs: IN_SILENCE.patienceMs });
}
