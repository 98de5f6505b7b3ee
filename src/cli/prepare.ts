import { UserError } from '../domain/errors.ts';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { OnEvent } from '../engine/events.ts';
import { loadManifest } from '../engine/load-manifest.ts';
import { type Plan, planJobs } from '../engine/plan.ts';
import type { Pool } from '../engine/pool.ts';
import { type ReadDocument, readDocuments } from '../engine/read-documents.ts';
import { type Route, routesOf } from '../engine/routes.ts';
import { sampled } from '../engine/sample.ts';
import type { Store } from '../store/store.ts';
import { EXIT } from './exit-codes.ts';
import type { CliIo } from './io.ts';
import { keyIdOf } from './key-id.ts';
import { shortPath } from './terminal/short-path.ts';

/** A manifest, read and expanded: all that is known before the store is asked. */
export type Prepared = {
  readonly manifest: ResolvedManifest;
  readonly manifestPath: string;
  /** Those of the sample, where the manifest asks for one. */
  readonly documents: readonly ReadDocument[];
  /** How many documents there are in all. */
  readonly found: number;
  readonly routes: ReadonlyMap<string, Route>;
  readonly plan: Plan;
};

export type LoadedManifest = Awaited<ReturnType<typeof loadManifest>>;

/**
 * Reads the manifest and all files that it names; documents are found, not opened. `maxCost`, in USD, takes the place of `budget.usd`.
 * Throws `UserError` with all problems.
 */
export async function readManifest(io: CliIo, argument: string, { maxCost }: { readonly maxCost?: number } = {}): Promise<LoadedManifest> {
  return await loadManifest(argument, { cwd: io.cwd, maxCostUsd: maxCost });
}

/** Reads the documents, extracts those that `store` does not know yet (`null`: there is no store), and expands the jobs. */
export async function prepare(
  io: CliIo,
  loaded: LoadedManifest,
  tools: { readonly pool: Pool; readonly store: Store | null; readonly onEvent: OnEvent },
): Promise<Prepared> {
  const { manifest } = loaded;
  const documents = await readDocuments(sampled(loaded.documents, manifest.sample), {
    pool: tools.pool,
    known: async (key) => (await tools.store?.extraction(key)) ?? null,
    password: (variable) => io.env[variable],
    onProgress: (progress) => tools.onEvent({ kind: 'documents.progress', ...progress }),
  });
  for (const { documentId, extraction } of documents) {
    if (!extraction.ok) tools.onEvent({ kind: 'document.failed', documentId, reason: extraction.reason, message: extraction.message });
  }
  const routes = routesOf(manifest, keyIdOf(io.env));
  const plan = planJobs(manifest, documents, routes);
  if (plan.jobs.length === 0) throw nothingSelected(shortPath(loaded.path, io.cwd));
  return { manifest, manifestPath: loaded.path, documents, found: loaded.documents.length, routes, plan };
}

function nothingSelected(manifestPath: string): UserError {
  const next = ['look at "documents", "tasks.*.documents" and "matrix" in the manifest'];
  return new UserError({ code: 'E29', exitCode: EXIT.empty, message: `${manifestPath} selects no job`, next });
}
