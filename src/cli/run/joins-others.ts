import { UserError } from '../../domain/errors.ts';
import type { CacheMode, ResolvedManifest } from '../../domain/manifest/resolved.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { EXIT } from '../exit-codes.ts';
import { unfinishedRunOf } from '../plan/outlook.ts';
import { money } from '../terminal/format.ts';
import { livingWorkers } from './in-flight-text.ts';

type Runs = Pick<Store, 'listRuns' | 'workers'>;

/** The run that a start of this identity would join, where others are at work on it: what the start states would hold for them, too. */
export async function runOfOthers(store: Runs, identity: string): Promise<RunRow | null> {
  const run = await unfinishedRunOf(store, identity);
  if (run === undefined) return null;
  const workers = await livingWorkers(store, run.runId);
  return workers.some(({ runId, running }) => runId === run.runId || running > 0) ? run : null;
}

const MODES: Record<CacheMode, string> = {
  'read-write': 'takes known answers',
  read: 'takes known answers and keeps none',
  refresh: 'asks anew',
  off: 'asks anew and keeps nothing',
};

/**
 * Throws `UserError` (E41, exit 7) where others would ask what they know, or take what they are to ask anew, because of this start: they were
 * told another price.
 */
export function refuseOtherCacheMode({ runId, settings }: RunRow, { cache }: ResolvedManifest): void {
  if (settings.cacheMode === cache.mode) return;
  throw new UserError({
    code: 'E41',
    exitCode: EXIT.refused,
    message: `others work on run ${runId}, which ${MODES[settings.cacheMode]}; this start ${MODES[cache.mode]}, and would change that for them`,
    next: [`to join it as it is: aieval worker ${runId}`, 'to work on a run of its own: the same command with --new'],
  });
}

/** Says that the bound which this start states holds for others, too; `null` where it changes nothing. */
export function changedBoundNote({ runId, settings }: RunRow, joined: RunRow): string | null {
  const [before, now] = [settings, joined.settings].map(({ budget }) => budget?.nanoUsd ?? null);
  if (before === now || joined.runId !== runId) return null;
  const [was, is] = [before, now].map((bound) => (bound == null ? 'none' : money(bound)));
  return `others work on run ${runId}: its bound was ${was}, and is ${is} for all of them now`;
}
