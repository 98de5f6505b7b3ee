import type { CacheMode } from '../domain/manifest/resolved.ts';
import type { RunSettings, RunState } from '../domain/run.ts';

/** What rules a run's work; the manifest is left out because it is big. */
export type RunFacts = {
  readonly runId: string;
  readonly state: RunState;
  readonly settings: RunSettings;
  /** Only cache rows stored later are hits; `null`: all. */
  readonly freshAfterMs: number | null;
};

/** Whether other runs may be served what this run pays for. */
export function storesForOthers(mode: CacheMode): boolean {
  return mode === 'read-write' || mode === 'refresh';
}

/** Whether the run's calls are single flights for itself only: it must not wait for, nor take, another run's answer. */
export function fliesAlone(mode: CacheMode): boolean {
  return mode === 'refresh' || mode === 'off';
}

/** At most one running step per flight key, over all processes. */
export function flightKeyOf(run: RunFacts, key: string): string {
  return fliesAlone(run.settings.cacheMode) ? `${key}|${run.runId}` : key;
}
