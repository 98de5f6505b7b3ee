import { canonicalJson, sha256Hex } from '../domain/canonical-json.ts';
import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { RunSettings } from '../domain/run.ts';
import { endpointIdentity } from '../providers/endpoint.ts';
import type { NewRun, RunDocument } from '../store/plan-rows.ts';
import type { OpenedRun } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Plan, Route } from './plan.ts';
import type { ReadDocument } from './read-documents.ts';

const MS_PER_DAY = 86_400_000;

/** Rows a transaction, so that other processes get their turn at the write lock. */
const CHUNK = 500;

const LANE_ID_CHARACTERS = 32;

/**
 * Provider id → where its calls go. A lane is an endpoint and a key: all models behind it share its limits. The key enters by the
 * name of its variable, so that a new key in the same variable reopens the lane that the old one closed.
 */
export function routesOf(manifest: ResolvedManifest): Map<string, Route> {
  const routes = Object.values(manifest.providers).map((provider) => {
    const endpoint = endpointIdentity(provider);
    const laneId = sha256Hex(canonicalJson(['lane', endpoint, provider.apiKeyEnv])).slice(0, LANE_ID_CHARACTERS);
    return [provider.id, { endpoint, laneId }] as const;
  });
  return new Map(routes);
}

export type EnqueueInput = {
  readonly manifest: ResolvedManifest;
  readonly manifestPath: string;
  readonly documents: readonly ReadDocument[];
  readonly plan: Plan;
  readonly routes: ReadonlyMap<string, Route>;
  readonly runId: string;
  readonly outDir: string;
  readonly forceNew: boolean;
  /** The user named the folder: a joined run's files move there. */
  readonly moveOut: boolean;
};

/**
 * Opens the run, or joins the unfinished one of the same identity, and inserts whatever rows are missing. Every step of it may be
 * done twice: a plan that died half-way is completed by whoever comes next.
 */
export async function enqueue(store: Store, input: EnqueueInput): Promise<OpenedRun> {
  const opened = await store.openRun(newRun(input));
  const { runId } = opened.run;
  if (opened.run.plannedAtMs === null) {
    for (const part of chunks(input.documents, CHUNK)) await store.addDocuments(runId, part.map(runDocument));
    for (const part of chunks(input.plan.jobs, CHUNK)) await store.addJobs(runId, part);
    await store.markPlanned(runId);
  }
  return opened;
}

function newRun(input: EnqueueInput): NewRun {
  const { manifest } = input;
  return {
    runId: input.runId,
    identity: input.plan.identity,
    name: manifest.name,
    manifestPath: input.manifestPath,
    manifest,
    settings: settingsOf(manifest),
    outDir: input.outDir,
    forceNew: input.forceNew,
    moveOut: input.moveOut,
    lanes: lanesOf(input),
    aggregates: Object.fromEntries(Object.values(manifest.tasks).map(({ id, repeats, aggregate }) => [id, { repeats, aggregate }])),
  };
}

/** Two providers of one endpoint and key are one lane; the lower limit wins. */
function lanesOf({ manifest, routes }: EnqueueInput): NewRun['lanes'] {
  const lanes = new Map<string, NewRun['lanes'][number]>();
  for (const { id, concurrency } of Object.values(manifest.providers)) {
    const laneId = routes.get(id)?.laneId;
    if (laneId === undefined) continue;
    const known = lanes.get(laneId);
    if (known === undefined || concurrency < known.concurrency) lanes.set(laneId, { laneId, label: id, concurrency });
  }
  return [...lanes.values()];
}

export function settingsOf(manifest: ResolvedManifest): RunSettings {
  const { retry, lease, runConcurrency, cache, gate } = manifest;
  return {
    retry,
    lease,
    runConcurrency,
    cacheMode: cache.mode,
    cacheTtlMs: cache.ttlDays === null ? null : Math.round(cache.ttlDays * MS_PER_DAY),
    gate,
    rates: ratesOf(manifest),
  };
}

function ratesOf({ models }: ResolvedManifest): RunSettings['rates'] {
  const rates = Object.values(models).map(
    ({ id, price, params }) => [id, { price, maxOutputTokens: params.maxOutputTokens ?? null }] as const,
  );
  return Object.fromEntries(rates);
}

function runDocument({ documentId, path, bytesSha256, tags, sizeBytes, extraction }: ReadDocument): RunDocument {
  const content = extraction.ok
    ? { ok: true as const, textSha256: extraction.content.textSha256, text: extraction.content }
    : { ok: false as const, reason: extraction.reason, message: extraction.message };
  return { documentId, path, bytesSha256, tags, sizeBytes, content };
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
