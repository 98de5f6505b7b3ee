import { UserError } from '../domain/errors.ts';
import { oneLine } from '../domain/hostile-text.ts';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { isResolvedManifest } from '../domain/manifest/resolved-shape.ts';
import { isRunSettings } from '../domain/settings-shape.ts';
import { problem } from './finding.ts';
import type { Inspection } from './maintenance.ts';
import type { RunRow, UnreadableRun } from './rows.ts';

const STORAGE_EXIT_CODE = 8;

/** A run as it stands in the database. What other versions, and whoever else may write there, put into its documents of JSON is not known. */
export type StoredRun = Omit<RunRow, 'manifest' | 'settings'> & { readonly manifest: unknown; readonly settings: unknown };

/** What a run of a version without these fields did. */
const BEFORE_OUTPUTS: Pick<ResolvedManifest, 'outputs' | 'privacy' | 'maxQueueDepth'> = {
  outputs: [],
  privacy: { evidence: 'quote' },
  maxQueueDepth: null,
};

/** The run, where this version knows all that rules it; else where it does not. */
export function readRun(stored: StoredRun): RunRow | UnreadableRun {
  const { settings } = stored;
  const manifest: unknown = isObject(stored.manifest) ? { ...BEFORE_OUTPUTS, ...stored.manifest } : stored.manifest;
  const trail: string[] = [];
  if (!isResolvedManifest(manifest, trail)) return unreadable(stored, ['manifest', ...trail]);
  if (!isRunSettings(settings, trail)) return unreadable(stored, ['settings', ...trail]);
  return { ...stored, manifest, settings };
}

/** The run. Throws `UserError` (E22, exit 8) where this version cannot read it. */
export function runOrRefusal(stored: StoredRun): RunRow {
  const run = readRun(stored);
  if (isReadable(run)) return run;
  throw unreadableError(run);
}

export function unreadableError(run: UnreadableRun): UserError {
  return new UserError({ code: 'E22', exitCode: STORAGE_EXIT_CODE, message: unreadableText(run), next: unreadableAdvice(run) });
}

export function unreadableOf(runs: readonly (RunRow | UnreadableRun)[]): readonly UnreadableRun[] {
  return runs.filter((run): run is UnreadableRun => !isReadable(run));
}

/** One problem for each run that this version cannot read. */
export function unreadableFindings(runs: readonly (RunRow | UnreadableRun)[]): readonly Inspection[] {
  return unreadableOf(runs).map((run) => problem('runs', `${unreadableText(run)}.`, unreadableAdvice(run)));
}

/** What is the matter, for a person. */
export function unreadableText({ runId, unreadableAt }: UnreadableRun): string {
  return `run ${oneLine(runId)} cannot be read (${oneLine(unreadableAt)}): it was written by another version of aieval, or by somebody else`;
}

export function unreadableAdvice({ manifestPath }: UnreadableRun): readonly string[] {
  return [`take the version that wrote it, or start its work anew: aieval run ${oneLine(manifestPath)} --new`];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isReadable(run: RunRow | UnreadableRun): run is RunRow {
  return !('unreadableAt' in run);
}

function unreadable({ runId, state, manifestPath, createdAtMs }: StoredRun, trail: readonly string[]): UnreadableRun {
  return { runId, state, manifestPath, createdAtMs, unreadableAt: trail.join('.') };
}
