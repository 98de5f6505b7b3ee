import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Completion } from '../../src/domain/completion.ts';
import type { ResolvedManifest } from '../../src/domain/manifest/resolved.ts';
import { type ModelRate, UNKNOWN_RATE } from '../../src/domain/money.ts';
import { CallWatch } from '../../src/engine/call-watch.ts';
import { evaluate } from '../../src/engine/evaluate.ts';
import { createPool, type Pool } from '../../src/engine/pool.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { canonicalText } from '../evidence/canonical.ts';
import { completion, MANIFEST } from '../store/rows.ts';
import { ASKING } from './asking.ts';

/** Built code: threads cannot run TypeScript. */
const WORKER = new URL('../../dist/engine/pool-worker.js', import.meta.url);
/** What runs into these limits would run for years. */
const LIMITS = { extract: 500, parse: 500, judge: 500 };

const SLOW_SCHEMA = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
const TIMEOUTS = { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 };
const SLOW: ResolvedManifest = {
  ...MANIFEST,
  providers: ASKING.providers,
  models: {
    m: {
      id: 'm',
      provider: 'lab',
      model: 'm',
      group: null,
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
      chunk: null,
      merge: null,
    },
  },
};

let folder: string;
let pool: Pool;
let patient: Pool;
let store: Store;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aieval-evaluate-'));
  pool = createPool(WORKER, LIMITS);
  patient = createPool(WORKER, { extract: 20_000, parse: 20_000, judge: 20_000 });
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
  await patient.close();
  await store.close();
  await rm(folder, { recursive: true });
});

type Judging = { inputTokens?: number; text?: string; by?: Pool; rate?: ModelRate; manifest?: ResolvedManifest };

/** What a claim comes to whose answer is stored already. */
async function judged(
  answer: Completion,
  { inputTokens = 10, text = 'Text.', by = patient, rate = UNKNOWN_RATE, manifest = SLOW }: Judging = {},
) {
  const work = {
    kind: 'judge',
    stepKind: 'answer',
    key: 'k',
    inputTokens,
    rate,
    callToken: 'paid',
    completion: answer,
    reask: null,
    input: null,
  } as const;
  const claim = {
    token: 'lease',
    runId: 'r',
    stepId: 1,
    job: { jobId: 'j', documentId: 'd', textSha256: 'x', task: 't', model: 'm', repeat: 0 },
    claimedAtMs: 0,
    deadlineAtMs: 1,
    work,
  };
  const { signal } = new AbortController();
  return await evaluate(claim, {
    manifest,
    store,
    pool: by,
    provider: () => Promise.reject(new Error('nothing is called')),
    text: async () => canonicalText(text),
    signals: { stop: signal, now: signal },
    calls: new CallWatch(store, 'w1'),
    onEvent: () => undefined,
    workerId: 'w1',
    now: Date.now,
  });
}

test('a schema whose pattern backtracks for ever is at fault, not the answer', async () => {
  expect(await judged(completion(JSON.stringify({ a: `${'a'.repeat(40)}!` })), { by: pool })).toMatchObject({
    kind: 'failed',
    callToken: 'paid',
    failure: { class: 'permanent', reason: 'check_error', message: 'the validation: gave up after 0.5 s' },
  });
});

test('an answer to a prompt that the server cut silently is no answer, also when it was stored before anyone looked', async () => {
  const usage = { uncachedInput: 2000, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 };
  const asked = { inputTokens: 5000, text: 'Some words. '.repeat(2000) };
  const outcome = await judged({ ...completion('{"a":"a"}'), usage }, asked);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { class: 'permanent', reason: 'input_truncated' }, call: { usage } });
  const whole = { ...usage, uncachedInput: 5000 };
  expect(await judged({ ...completion('{"a":"a"}'), usage: whole }, asked)).toMatchObject({ kind: 'answered', answer: { a: 'a' } });
});

test('an answer costs what the claim says, whatever price the manifest of this process stated when it began', async () => {
  const rate = { price: { inputPerMTok: 1, outputPerMTok: 10 }, maxOutputTokens: 100 };
  const usage = { uncachedInput: 1000, cacheRead: 0, cacheWrite: 0, output: 100, reasoning: 0 };
  expect(await judged({ ...completion('{"a":"a"}'), usage }, { rate })).toMatchObject({ call: { costNanoUsd: 2_000_000 } });
  expect(await judged({ ...completion('{"a":"a"}'), usage })).toMatchObject({ call: { costNanoUsd: null } });
});

const TOO_LONG = 'too long to be sent back to be mended (about';

test('an invalid answer is sent back where the prompt with it, and another answer, fit the model and its minute', async () => {
  const { m } = SLOW.models;
  const { lab } = SLOW.providers;
  if (m === undefined || lab === undefined) throw new Error('the manifest lacks its model');
  const invalid = completion(JSON.stringify({ a: 'word '.repeat(1000), b: 1 }).replace('"a":"', '"a":1,"c":"'));
  const within = (contextTokens: number | null, tokensPerMinute: number | null = null) =>
    judged(invalid, {
      inputTokens: 5000,
      manifest: {
        ...SLOW,
        models: { m: { ...m, contextTokens, params: { maxOutputTokens: 1000 } } },
        providers: { lab: { ...lab, tokensPerMinute } },
      },
    });
  expect(await within(null)).toMatchObject({ kind: 'superseded', reask: { answer: invalid.content } });
  expect(await within(7500)).toMatchObject({ kind: 'superseded' });
  const failed = { kind: 'failed', callToken: 'paid' };
  const failure = { class: 'quality', reason: 'invalid_answer' };
  expect(await within(6500)).toMatchObject({ ...failed, failure: { ...failure, message: expect.stringContaining(TOO_LONG) } });
  const perMinute = expect.stringMatching(/too long to be sent back .* more than tokensPerMinute = 5500 of provider "lab"\): \/a/);
  expect(await within(null, 5500)).toMatchObject({ ...failed, failure: { ...failure, message: perMinute } });
});
