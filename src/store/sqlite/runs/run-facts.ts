import type { CacheMode } from '../../../domain/manifest/resolved.ts';
import type { RunSettings, RunState } from '../../../domain/run.ts';
import { runGone } from '../../run-gone.ts';
import { fromJson, type Sql } from '../sql.ts';

/** What rules a run's work; the manifest is left out because it is big. */
export type RunFacts = {
  readonly runId: string;
  readonly state: RunState;
  readonly settings: RunSettings;
  /** Only cache rows stored later are hits; `null`: all. */
  readonly freshAfterMs: number | null;
};

type Row = Omit<RunFacts, 'settings'> & { readonly settings: string };

const SELECT_RUN = `
SELECT run_id AS runId, state, settings, fresh_after_ms AS freshAfterMs FROM runs WHERE run_id = :runId AND pruned_at_ms IS NULL`;

/** Throws `UserError` when there is no such run: callers have looked it up before, so that it was removed meanwhile. */
export function runFacts(sql: Sql, runId: string): RunFacts {
  const row = sql.one<Row>(SELECT_RUN, { runId });
  if (row === undefined) throw runGone(runId);
  return { ...row, settings: fromJson(row.settings) };
}

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
