import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResolvedManifest } from '../../src/domain/manifest/resolved.ts';
import { CallWatch } from '../../src/engine/call-watch.ts';
import { evaluate } from '../../src/engine/evaluate.ts';
import { createPool, type Pool } from '../../src/engine/pool.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { canonicalText } from '../evidence/canonical.ts';
import { completion, MANIFEST } from '../store/rows.ts';

/** Built code: threads cannot run TypeScript. */
const WORKER = new URL('../../dist/engine/pool-worker.js', import.meta.url);
/** What runs into these limits would run for years. */
const LIMITS = { extract: 500, parse: 500, judge: 500 };

const SLOW_SCHEMA = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
const TIMEOUTS = { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 };
const SLOW: ResolvedManifest = {
  ...MANIFEST,
  models: {
    m: {
      id: 'm',
      provider: 'p',
      model: 'm',
      params: {},
      price: 'free',
      contextTokens: null,
      structuredOutput: 'auto',
      timeouts: TIMEOUTS,
    },
  },
  tasks: {
    t: {
      id: 't',
      prompt: '{{document}}',
      system: null,
      vars: {},
      output: { format: 'json', schema: SLOW_SCHEMA, strict: false, reask: 1 },
      checks: [],
      documents: null,
      models: null,
      repeats: 1,
      aggregate: 'majority',
      priority: 0,
    },
  },
};

let folder: string;
let pool: Pool;
let store: Store;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aieval-evaluate-'));
  pool = createPool(WORKER, LIMITS);
  store = await openStore(join(folder, 'aieval.db'), {
    clock: Date.now,
    monotonic: () => performance.now(),
    hostId: 'boot-1',
    random: () => 0,
    newToken: () => 'token',
    heartbeatThread: null,
  });
});

afterAll(async () => {
  await pool.close();
  await store.close();
  await rm(folder, { recursive: true });
});

test('a schema whose pattern backtracks for ever is at fault, not the answer', async () => {
  const answered = completion(JSON.stringify({ a: `${'a'.repeat(40)}!` }));
  const claim = {
    token: 'lease',
    runId: 'r',
    stepId: 1,
    job: { jobId: 'j', documentId: 'd', textSha256: 'x', task: 't', model: 'm', repeat: 0 },
    claimedAtMs: 0,
    deadlineAtMs: 1,
    work: { kind: 'judge', stepKind: 'answer', key: 'k', callToken: 'paid', completion: answered, reask: null },
  } as const;
  const { signal } = new AbortController();
  const outcome = await evaluate(claim, {
    manifest: SLOW,
    store,
    pool,
    provider: () => Promise.reject(new Error('nothing is called')),
    text: async () => canonicalText('Text.'),
    signals: { stop: signal, now: signal },
    calls: new CallWatch(store, 'w1'),
  });
  expect(outcome).toMatchObject({
    kind: 'failed',
    callToken: 'paid',
    failure: { class: 'permanent', reason: 'check_error', message: 'the validation: gave up after 0.5 s' },
  });
});
