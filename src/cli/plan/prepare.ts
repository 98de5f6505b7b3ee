import { relative } from 'node:path';
import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import type { OnEvent } from '../../engine/events.ts';
import { loadManifest } from '../../engine/load-manifest.ts';
import { type Plan, planJobs } from '../../engine/plan.ts';
import type { Pool } from '../../engine/pool.ts';
import { type ReadDocument, readDocuments } from '../../engine/read-documents.ts';
import { type Route, routesOf } from '../../engine/routes.ts';
import { sampled } from '../../engine/sample.ts';
import type { Store } from '../../store/store.ts';
import type { SelectOptions, SettingOptions } from '../commands/options.ts';
import { type BoundOrigins, boundOrigins } from '../config/bound-origins.ts';
import type { CliIo } from '../io.ts';
import { keyIdOf } from '../run/key-id.ts';
import { shortPath } from '../terminal/short-path.ts';
import { withSteps } from './scan-steps.ts';
import { type Selected, selectJobs } from './select-jobs.ts';

/** A manifest, read and expanded: all that is known before the store is asked. */
export type Prepared = {
  readonly manifest: ResolvedManifest;
  readonly manifestPath: string;
  /** Those that the selected jobs need: of the sample, where the manifest asks for one. */
  readonly documents: readonly ReadDocument[];
  /** How many documents there are in all. */
  readonly found: number;
  readonly routes: ReadonlyMap<string, Route>;
  readonly plan: Plan;
  /** `null`: all jobs of the manifest. */
  readonly selected: Selected | null;
  /** Who stated the bounds of the run. */
  readonly origins: BoundOrigins;
};

export type LoadedManifest = Awaited<ReturnType<typeof loadManifest>>;

/**
 * Reads the manifest and all files that it names; documents are found, not opened. What `settings` say takes the place of what the manifest
 * says, but for what is only the user config's. Throws `UserError` with all problems.
 */
export async function readManifest(io: CliIo, argument: string, settings: SettingOptions = {}): Promise<LoadedManifest> {
  const { profile, maxCost, maxJobs, maxQueueDepth, layers } = settings;
  return await loadManifest(argument, {
    cwd: io.cwd,
    profile: profile === undefined ? null : { name: profile, by: layers?.from.profile ?? '--profile' },
    settings: { maxCost, maxJobs, maxQueueDepth, unstated: layers?.unstated },
    maxCostName: maxCostName(settings),
  });
}

function maxCostName({ maxCost, layers }: SettingOptions): string {
  const from = layers?.from.maxCost;
  if (maxCost !== undefined) return from ?? '--max-cost';
  return layers?.unstated.maxCost === undefined ? 'budget.usd' : `maxCost of the ${from}`;
}

/**
 * Reads the documents of the jobs that `select` means, extracts those that `store` does not know yet (`null`: there is no store), and
 * expands the jobs. Throws `UserError` as `selectJobs` does.
 */
export async function prepare(
  io: CliIo,
  loaded: LoadedManifest,
  tools: { readonly pool: Pool; readonly store: Store | null; readonly onEvent: OnEvent },
  options: SelectOptions & SettingOptions,
): Promise<Prepared> {
  const { manifest } = loaded;
  const origins = boundOrigins(loaded, options);
  const sample = sampled(loaded.documents, manifest.sample);
  const { selected, ...needed } = selectJobs(
    { manifest, manifestPath: shortPath(loaded.path, io.cwd), documents: sample, maxJobsFrom: origins.maxJobs },
    options,
  );
  for (const message of needed.warnings) tools.onEvent({ kind: 'warning', message });
  const read = await readDocuments(needed.documents, {
    pool: tools.pool,
    known: async (key) => (await tools.store?.extraction(key)) ?? null,
    password: (variable) => io.env[variable],
    shownPath: (path) => relative(io.cwd, path),
    onProgress: (progress) => tools.onEvent({ kind: 'documents.progress', ...progress }),
  });
  const documents = read.map((document) => withSteps(io, document, needed.documents));
  for (const { documentId, extraction } of documents) {
    if (!extraction.ok) tools.onEvent({ kind: 'document.failed', documentId, reason: extraction.reason, message: extraction.message });
  }
  const routes = routesOf(manifest, keyIdOf(io.env));
  const plan = await planJobs(manifest, documents, routes, selected?.selection ?? null);
  return { manifest, manifestPath: loaded.path, documents, found: loaded.documents.length, routes, plan, selected, origins };
}
