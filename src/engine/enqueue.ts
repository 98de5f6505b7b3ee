import type { Budget } from '../domain/budget.ts';
import type { ResolvedBudget, ResolvedManifest } from '../domain/manifest/resolved.ts';
import { nanoUsdOf } from '../domain/money.ts';
import type { RunSettings } from '../domain/run.ts';
import type { Selection } from '../domain/selection.ts';
import type { NewRun, RunDocument } from '../store/plan-rows.ts';
import type { OpenedRun, RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { inTurns } from './in-turns.ts';
import type { Plan } from './plan.ts';
import type { ReadDocument } from './read-documents.ts';
import { lanesOf, type Route } from './routes.ts';

const MS_PER_DAY = 86_400_000;
const MS_PER_MINUTE = 60_000;

/** Rows a transaction, so that other processes get their turn at the write lock. */
const CHUNK = 500;

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
  /** `null`: all jobs of the manifest. */
  readonly selection: Selection | null;
  /** How many jobs there are without the selection. */
  readonly selected?: { readonly allJobs: number } | null | undefined;
  /** The profile of the manifest that was chosen. */
  readonly profile?: string | undefined;
};

/** Opens the run, or joins the unfinished one of the same identity. */
export function openPlanned(store: Pick<Store, 'openRun'>, input: EnqueueInput): Promise<OpenedRun> {
  return store.openRun(newRun(input));
}

type Rows = Pick<EnqueueInput, 'documents' | 'plan'>;

/**
 * Inserts whatever rows of an opened run are missing. Every step of it may be done twice: a plan that broke off is completed by whoever
 * comes next. False: `stop` came first, and some are missing still.
 */
export async function enqueue(
  store: Pick<Store, 'addDocuments' | 'addJobs' | 'markPlanned'>,
  { runId, plannedAtMs }: Pick<RunRow, 'runId' | 'plannedAtMs'>,
  { documents, plan }: Rows,
  stop: AbortSignal,
): Promise<boolean> {
  if (plannedAtMs !== null) return true;
  for await (const part of inTurns(documents, CHUNK)) {
    if (stop.aborted) return false;
    await store.addDocuments(runId, part.map(runDocument));
  }
  for await (const part of inTurns(plan.jobs, CHUNK)) {
    if (stop.aborted) return false;
    await store.addJobs(runId, part);
  }
  await store.markPlanned(runId);
  return true;
}

function newRun(input: EnqueueInput): NewRun {
  const { manifest } = input;
  return {
    runId: input.runId,
    identity: input.plan.identity,
    name: manifest.name,
    manifestPath: input.manifestPath,
    manifest,
    settings: { ...settingsOf(manifest), ...wayTo(input), plannedJobs: input.plan.counts.askable, jobsOfPlan: input.plan.counts.jobs },
    outDir: input.outDir,
    forceNew: input.forceNew,
    moveOut: input.moveOut,
    lanes: lanesOf(manifest, input.routes),
    aggregates: Object.fromEntries(Object.values(manifest.tasks).map(({ id, repeats, aggregate }) => [id, { repeats, aggregate }])),
  };
}

function wayTo({ selection, selected, profile }: EnqueueInput): Pick<RunSettings, 'selection' | 'selectedOf' | 'profile'> {
  const { allJobs } = selected ?? {};
  return {
    ...(selection === null ? {} : { selection }),
    ...(selection === null || allJobs === undefined ? {} : { selectedOf: allJobs }),
    ...(profile === undefined ? {} : { profile }),
  };
}

/** What the latest `run` may change, as the store keeps it: amounts in nano-USD, times in milliseconds. */
export function settingsOf(manifest: ResolvedManifest): RunSettings {
  const { retry, lease, runConcurrency, cache, gate, budget, failFast } = manifest;
  return {
    retry,
    lease,
    runConcurrency,
    cacheMode: cache.mode,
    cacheTtlMs: cache.ttlDays === null ? null : Math.round(cache.ttlDays * MS_PER_DAY),
    gate,
    budget: budget === null ? null : budgetOf(budget),
    failFast,
    rates: ratesOf(manifest),
    ...requiresOf(manifest),
  };
}

function requiresOf({ tasks }: ResolvedManifest): Pick<RunSettings, 'requires'> {
  const needs = Object.values(tasks).flatMap(({ id, requires = [] }) => (requires.length === 0 ? [] : [[id, requires] as const]));
  return needs.length === 0 ? {} : { requires: Object.fromEntries(needs) };
}

/** A budget as the store keeps it. */
export function budgetOf({ usd, tokens, minutes, warnAt, group }: ResolvedBudget): Budget {
  return {
    nanoUsd: usd === null ? null : nanoUsdOf(usd),
    tokens,
    activeMs: minutes === null ? null : Math.round(minutes * MS_PER_MINUTE),
    warnAt,
    group: group === null ? null : { name: group.name, nanoUsd: nanoUsdOf(group.usd), per: group.per },
  };
}

function ratesOf({ models }: ResolvedManifest): RunSettings['rates'] {
  const rates = Object.values(models).map(
    ({ id, price, params }) => [id, { price, maxOutputTokens: params.maxOutputTokens ?? null }] as const,
  );
  return Object.fromEntries(rates);
}

function runDocument({ documentId, path, bytesSha256, tags, sizeBytes, extraction, extractionKey, tokens }: ReadDocument): RunDocument {
  const kept = extractionKey === null ? {} : { extraction: { key: extractionKey, ...tokens } };
  const content = extraction.ok
    ? { ok: true as const, textSha256: extraction.content.textSha256, text: extraction.content, ...kept }
    : { ok: false as const, reason: extraction.reason, message: extraction.message };
  return { documentId, path, bytesSha256, tags, sizeBytes, content };
}
