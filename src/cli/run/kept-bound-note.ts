import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import type { RunRow } from '../../store/rows.ts';
import { money } from '../terminal/format.ts';

/** Says that the run has a bound which this start did not state; `null`: it has none, or this start stated it. */
export function keptBoundNote({ runId, manifest, settings }: RunRow, { budget }: Pick<ResolvedManifest, 'budget'>): string | null {
  if (manifest.budget?.ofStart !== true || budget?.ofStart === true) return null;
  return `run ${runId} keeps the bound of ${money(settings.budget?.nanoUsd ?? null)} that an earlier start gave it; --max-cost changes it`;
}
