import type { BudgetUse } from '../../src/domain/budget.ts';
import type { ResolvedManifest } from '../../src/domain/manifest/resolved.ts';
import type { JobRow, ModelTotals, RunRow, RunTotals, WorkerRow } from '../../src/store/rows.ts';

export const STARTED_MS = Date.UTC(2026, 10, 29, 13, 0, 0);

const TASK = {
  prompt: '{{document}}\n\nList the ambiguities.',
  system: null,
  vars: {},
  output: { format: 'json' as const, schema: null, strict: true, reask: 1 },
  checks: [],
  documents: null,
  models: null,
  aggregate: 'majority' as const,
  priority: 0,
  chunk: null,
  merge: null,
};

export const MANIFEST: ResolvedManifest = {
  version: 1,
  name: 'spec-review',
  documents: [],
  providers: {},
  models: {},
  tasks: { ambiguity: { ...TASK, id: 'ambiguity', repeats: 3 }, claims: { ...TASK, id: 'claims', repeats: 1 } },
  matrix: { exclude: [], only: [] },
  concurrency: 8,
  runConcurrency: null,
  retry: { attempts: 3, lostLeases: 3, maxWaitMs: 120_000 },
  lease: { ttlMs: 60_000, beatMs: 15_000, deadlineMs: 1_800_000 },
  cache: { mode: 'read-write', ttlDays: null, namespace: null },
  gate: { minPassRate: 0.8, maxErrorRate: 0 },
  budget: null,
  sample: null,
  failFast: null,
  artifacts: 'all',
  outputs: [],
  privacy: { evidence: 'quote' },
  maxJobs: 10_000,
  maxQueueDepth: null,
};

export function sampleRun(change: Partial<RunRow> = {}): RunRow {
  return {
    runId: 'r-8kq2aaaa',
    identity: 'identity',
    holdsIdentity: true,
    name: 'spec-review',
    state: 'open',
    manifestPath: '/home/ann/spec/manifest.json',
    manifest: MANIFEST,
    settings: {
      retry: MANIFEST.retry,
      lease: MANIFEST.lease,
      runConcurrency: null,
      cacheMode: 'read-write',
      cacheTtlMs: null,
      rates: {},
      gate: MANIFEST.gate,
      budget: null,
      failFast: null,
    },
    outDir: '/home/ann/spec/.aieval/runs/r-8kq2aaaa',
    revision: 0,
    createdAtMs: STARTED_MS,
    plannedAtMs: STARTED_MS,
    finishedAtMs: null,
    summaryAtMs: null,
    freshAfterMs: null,
    ...change,
  };
}

export function sampleModel(change: Partial<ModelTotals> = {}): ModelTotals {
  return {
    model: 'fast',
    total: 40,
    queued: 10,
    running: 2,
    pass: 20,
    fail: 5,
    review: 1,
    error: 2,
    cancelled: 0,
    cached: 8,
    inputTokens: 2_160_000,
    cachedInputTokens: 0,
    outputTokens: 65_000,
    spentNanoUsd: 670_000_000,
    firstTokenMs: null,
    tokensPerSecond: null,
    parts: 0,
    openParts: 0,
    rateLimited: 0,
    p50Ms: null,
    p95Ms: null,
    ...change,
  };
}

export function sampleTotals(change: Partial<RunTotals> = {}): RunTotals {
  return {
    jobs: { total: 40, queued: 10, running: 2, succeeded: 26, failed: 2, cancelled: 0 },
    results: { total: 30, open: 9, pass: 14, fail: 4, review: 1, error: 2 },
    calls: 23,
    attempts: 25,
    cacheHits: 8,
    cost: {
      spentNanoUsd: 670_000_000,
      reservedNanoUsd: 70_000_000,
      uncertainNanoUsd: 0,
      unpricedCalls: 0,
      uncertainCalls: 0,
      uncertainUnpricedCalls: 0,
    },
    budget: null,
    happenedAtMs: STARTED_MS,
    lostLeases: 0,
    tokens: { input: 2_160_000, cachedInput: 10_000, output: 65_000 },
    byModel: [sampleModel()],
    dlq: [{ reason: 'timeout', count: 2 }],
    retries: [{ reason: 'rate_limited', count: 3 }],
    waiting: [{ why: 'lane_cooldown', laneId: 'lane-1', count: 4, untilMs: STARTED_MS + 5000, message: '429 from lab' }],
    inFlight: { calls: 2, nanoUsd: 70_000_000 },
    ...change,
  };
}

export function sampleWorker(change: Partial<WorkerRow> = {}): WorkerRow {
  return {
    workerId: 'worker-1',
    runId: null,
    hostId: 'boot-1',
    hostname: 'laptop',
    pid: 4711,
    version: '0.1.0',
    tags: [],
    startedAtMs: STARTED_MS,
    beatAtMs: STARTED_MS,
    running: 2,
    oldestLeaseAtMs: STARTED_MS + 4000,
    alive: true,
    certain: true,
    takeover: null,
    ...change,
  };
}

export function sampleJob(change: Partial<JobRow> = {}): JobRow {
  return {
    seq: 0,
    jobId: 'j3f9aaaaaaaaaaaaaaaaaaaaaa',
    documentId: 'specs/auth.md',
    bytesSha256: 'b'.repeat(64),
    textSha256: 't'.repeat(64),
    task: 'claims',
    model: 'fast',
    repeat: 0,
    state: 'succeeded',
    verdict: 'pass',
    result: null,
    error: null,
    usage: { uncachedInput: 900, cacheRead: 100, cacheWrite: 0, output: 50, reasoning: 0 },
    costNanoUsd: 1_200_000,
    calls: 1,
    attempts: 1,
    retries: 0,
    cached: false,
    origin: null,
    latencyMs: 4200,
    endedAtMs: STARTED_MS + 60_000,
    ...change,
  };
}

/** A budget of which a quarter is used, and half of its group's. */
export const SAMPLE_USE: BudgetUse = {
  budget: {
    nanoUsd: 3_000_000_000,
    tokens: 5_000_000,
    activeMs: null,
    warnAt: 0.8,
    group: { name: 'team', nanoUsd: 10_000_000_000, per: 'month' },
  },
  nanoUsd: 740_000_000,
  tokens: 2_225_000,
  activeMs: 0,
  groupNanoUsd: 4_200_000_000,
  inFlight: true,
};
