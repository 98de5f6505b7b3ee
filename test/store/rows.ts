import { createHash } from 'node:crypto';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { Completion } from '../../src/domain/completion.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { ResolvedManifest } from '../../src/domain/manifest/resolved.ts';
import type { Part } from '../../src/domain/part.ts';
import type { Failure } from '../../src/domain/reason.ts';
import type { JobResult } from '../../src/domain/result.ts';
import type { RunSettings } from '../../src/domain/run.ts';
import type { FollowingStep, NewJob, NewLane, NewRun, NewStep, NewWorker, RunDocument } from '../../src/store/plan-rows.ts';
import type { CallOutcome } from '../../src/store/work.ts';

export const TTL_MS = 60_000;
export const LANE = 'lane-1';
export const RETRY: RunSettings['retry'] = { attempts: 3, lostLeases: 3, maxWaitMs: 120_000 };

export function settings(changes: Partial<RunSettings> = {}): RunSettings {
  return {
    retry: RETRY,
    lease: { ttlMs: TTL_MS, beatMs: 15_000, deadlineMs: 30 * 60_000 },
    runConcurrency: null,
    cacheMode: 'read-write',
    cacheTtlMs: null,
    gate: { minPassRate: 1, maxErrorRate: 0 },
    budget: null,
    failFast: null,
    rates: {},
    ...changes,
  };
}

export const MANIFEST: ResolvedManifest = {
  version: 1,
  name: 'sample',
  documents: [],
  providers: {},
  models: {},
  tasks: {},
  matrix: { exclude: [], only: [] },
  concurrency: 8,
  runConcurrency: null,
  retry: RETRY,
  lease: { ttlMs: TTL_MS, beatMs: 15_000, deadlineMs: 30 * 60_000 },
  cache: { mode: 'read-write', ttlDays: null, namespace: null },
  gate: { minPassRate: 1, maxErrorRate: 0 },
  budget: null,
  sample: null,
  failFast: null,
  artifacts: 'all',
  outputs: [],
  privacy: { evidence: 'quote' },
  maxJobs: 10_000,
  maxQueueDepth: null,
};

export function newRun(runId: string, changes: Partial<NewRun> = {}): NewRun {
  return {
    runId,
    identity: `identity of ${runId}`,
    name: 'sample',
    manifestPath: '/home/ann/spec/manifest.json',
    manifest: MANIFEST,
    settings: settings(),
    outDir: `/home/ann/spec/.aieval/runs/${runId}`,
    forceNew: false,
    moveOut: false,
    lanes: [lane()],
    aggregates: { task: { repeats: 1, aggregate: 'majority' } },
    ...changes,
  };
}

/** A lane without limits but 100 calls at once. */
export function lane(changes: Partial<NewLane> = {}): NewLane {
  return {
    laneId: LANE,
    accountId: 'account-1',
    label: 'lab',
    models: ['model'],
    concurrency: 100,
    requestsPerMinute: null,
    tokensPerMinute: null,
    tokenAccounting: 'reserved',
    adaptive: false,
    cachesPrompts: false,
    ...changes,
  };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function canonicalText(text: string): CanonicalText {
  return {
    format: 'markdown',
    extractor: 'markdown@1',
    title: 'A title',
    text,
    textSha256: sha256(text),
    pages: [],
    sections: [{ title: 'A title', level: 1, start: 0, end: text.length }],
    lines: { start: [0], number: [1] },
    blocks: [],
    lostPages: [],
    warnings: ['a warning'],
  };
}

export function document(documentId: string, text = `text of ${documentId}`): RunDocument {
  const content = canonicalText(text);
  return {
    documentId,
    path: `/home/ann/spec/${documentId}`,
    bytesSha256: sha256(`bytes of ${documentId}`),
    tags: ['paper'],
    sizeBytes: 1234,
    content: { ok: true, textSha256: content.textSha256, text: content },
  };
}

export function step(key: string, changes: Partial<NewStep> = {}): NewStep {
  const keyRecord: Json = { endpoint: 'http://127.0.0.1:8000/v1', model: 'qwen', version: 1 };
  return {
    kind: 'answer',
    index: 0,
    key,
    keyRecord,
    laneId: LANE,
    inputTokens: 100,
    maxInputTokens: 100,
    prefix: null,
    input: null,
    ...changes,
  };
}

/** One of the parts of a document, of ten characters each. */
export function part(index: number, of = 2): Part {
  const start = index * 10;
  return { start, end: start + 10, ownStart: start, index, of };
}

/** A step that asks one part of the document. */
export function chunk(key: string, index = 0, changes: Partial<NewStep> = {}): NewStep {
  return step(key, { kind: 'chunk', index, input: { kind: 'part', part: part(index) }, ...changes });
}

/** The step that makes one answer of the parts' answers. */
export function reduce(key: string, changes: Partial<FollowingStep> = {}): FollowingStep {
  const { laneId: _, ...following } = step(key, { kind: 'reduce', input: { kind: 'prompt', system: null, prompt: `reduce ${key}` } });
  return { ...following, ...changes };
}

/** A job with one `answer` step of key `key of <jobId>`, unless `steps` says otherwise. */
export function job(jobId: string, seq: number, changes: Partial<NewJob> = {}): NewJob {
  return {
    jobId,
    seq,
    documentId: 'a.md',
    textSha256: sha256('text of a.md'),
    task: 'task',
    model: 'model',
    repeat: 0,
    priority: 0,
    failure: null,
    later: [],
    steps: [step(`key of ${jobId}`)],
    ...changes,
  };
}

/** A job whose one step has this key. */
export function jobOfKey(jobId: string, seq: number, key: string, changes: Partial<NewJob> = {}): NewJob {
  return job(jobId, seq, { steps: [step(key)], ...changes });
}

export function worker(workerId: string): NewWorker {
  return { workerId, runId: null, hostId: 'boot-1', hostname: 'laptop', pid: 4711, version: '0.1.0' };
}

export const USAGE = { uncachedInput: 80, cacheRead: 20, cacheWrite: 0, output: 30, reasoning: 10 };

export function completion(content = '{"findings":[]}'): Completion {
  return {
    content,
    refusal: null,
    finishReason: 'stop',
    usage: USAGE,
    model: 'qwen-2026',
    requestId: 'req-1',
    latencyMs: 1234.5,
    firstTokenMs: 100,
    mode: 'json_schema',
    wireBody: { model: 'qwen', messages: [{ role: 'user', content: 'text — with “marks” and \u0000' }] },
  };
}

export const PAID: CallOutcome = { state: 'settled', usage: USAGE, costNanoUsd: 5000 };
export const FREE_ERROR: CallOutcome = { state: 'settled', usage: null, costNanoUsd: 0 };

export function failure(changes: Partial<Failure> = {}): Failure {
  return { class: 'transient', reason: 'server_error', message: 'the server failed', status: 500, ...changes };
}

export const INVALID = failure({ class: 'quality', reason: 'invalid_answer', message: '/findings must be an array' });

export function result(callToken: string, changes: Partial<JobResult> = {}): JobResult {
  return {
    verdict: 'pass',
    scores: [],
    answer: { findings: [] },
    repaired: false,
    reasked: false,
    mode: 'json_schema',
    callToken,
    ...changes,
  };
}
