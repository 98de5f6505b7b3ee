import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openState } from '../../src/cli/context.ts';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import type { Completion } from '../../src/domain/completion.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { ResolvedManifest } from '../../src/domain/manifest/resolved.ts';
import type { JobResult } from '../../src/domain/result.ts';
import { openStore } from '../../src/store/open.ts';
import type { NewJob } from '../../src/store/plan-rows.ts';
import type { Store } from '../../src/store/store.ts';
import type { Claim } from '../../src/store/work.ts';
import { lane } from '../store/rows.ts';
import { aieval, ended, start } from './binary.ts';
import { fakeIo } from './fake-io.ts';
import { MANIFEST, sampleRun } from './sample-run.ts';

const RUN_ID = 'r-8kq2aaaa';
const TEXT = 'The server MAY retry a request at most 3 times.\n';
const QUOTE = 'The server MAY retry';
const ESCAPE = '\u001b[31m';

const CONTENT: CanonicalText = {
  format: 'markdown',
  extractor: 'markdown:1+norm:1',
  title: 'Auth',
  text: TEXT,
  textSha256: sha256Hex(TEXT),
  pages: [],
  sections: [],
  lines: { start: [0], number: [1] },
  blocks: [],
  lostPages: [],
  warnings: [],
};

const FAST = {
  id: 'fast',
  provider: 'lab',
  model: 'gpt-5-mini',
  group: null,
  params: {},
  price: null,
  contextTokens: null,
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
} as const;

const LAB: ResolvedManifest['providers'][string] = {
  id: 'lab',
  type: 'simulated',
  baseUrl: null,
  apiKeyEnv: null,
  identity: null,
  stream: true,
  headers: {},
  concurrency: 4,
  requestsPerMinute: null,
  tokensPerMinute: null,
  tokenAccounting: 'reserved',
  cassette: null,
  latencyMs: 0,
};

const RESOLVED: ResolvedManifest = { ...MANIFEST, providers: { lab: LAB }, models: { fast: FAST } };

/** In plan order: one that passes, one that ends in the DLQ, three repeats that stay queued. */
const JOBS: readonly NewJob[] = [
  job(0, 'claims', 0),
  job(1, 'quotes', 0),
  ...[0, 1, 2].map((repeat) => job(2 + repeat, 'ambiguity', repeat)),
];

function job(seq: number, task: string, repeat: number): NewJob {
  const step = {
    kind: 'answer',
    index: 0,
    key: `key-${seq}`,
    keyRecord: {},
    laneId: 'lane',
    inputTokens: 10,
    maxInputTokens: 10,
    prefix: null,
    input: null,
  } as const;
  const base = {
    documentId: 'specs/auth.md',
    textSha256: CONTENT.textSha256,
    task,
    model: 'fast',
    repeat,
    priority: 0,
    failure: null,
    later: [],
  };
  return { ...base, jobId: `${'abcde'[seq]}${'a'.repeat(25)}`, seq, steps: [step] };
}

let dir = '';
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'aieval-read-'));
  mkdirSync(join(dir, '.aieval'));
  let tokens = 0;
  const store = await openStore(join(dir, '.aieval', 'aieval.db'), {
    clock: Date.now,
    monotonic: () => performance.now(),
    hostId: 'boot-1',
    random: () => 0,
    newToken: () => `token-${++tokens}`,
    heartbeatThread: null,
  });
  await fill(store);
  await store.close();
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function fill(store: Store): Promise<void> {
  const { settings } = sampleRun();
  const outDir = join(dir, '.aieval', 'runs', RUN_ID);
  const aggregates = Object.fromEntries(
    ['claims', 'quotes', 'ambiguity'].map((task) => [task, { repeats: task === 'ambiguity' ? 3 : 1, aggregate: 'majority' as const }]),
  );
  await store.openRun({
    runId: RUN_ID,
    identity: 'identity',
    name: 'spec-review',
    manifestPath: join(dir, 'manifest.json'),
    manifest: RESOLVED,
    settings,
    outDir,
    forceNew: false,
    moveOut: false,
    lanes: [lane({ laneId: 'lane', concurrency: 4 })],
    aggregates,
  });
  const content = { ok: true, textSha256: CONTENT.textSha256, text: CONTENT } as const;
  await store.addDocuments(RUN_ID, [{ documentId: 'specs/auth.md', path: '/x', bytesSha256: 'b', tags: [], sizeBytes: 48, content }]);
  await store.addJobs(RUN_ID, JOBS);
  await store.markPlanned(RUN_ID);
  await store.registerWorker({ workerId: 'w', runId: RUN_ID, hostId: 'h', hostname: 'laptop', pid: 1, version: '0.1.0' });
  await answer(store, await claim(store));
  const failure = { class: 'permanent', reason: 'refused', message: `the model refused${ESCAPE}` } as const;
  const { token } = await claim(store);
  await store.markSent(token);
  await store.settle(token, { kind: 'failed', callToken: token, failure, call: { state: 'settled', usage: null, costNanoUsd: 0 } });
  await store.removeWorker('w');
}

async function claim(store: Store): Promise<Claim> {
  const reply = await store.claim({ runId: RUN_ID, workerId: 'w' });
  if (reply.kind !== 'claimed') throw new Error(`expected a claim, got ${reply.kind}`);
  return reply.claim;
}

async function answer(store: Store, { token }: Claim): Promise<void> {
  await store.markSent(token);
  const usage = { uncachedInput: 900, cacheRead: 0, cacheWrite: 0, output: 50, reasoning: 0 };
  const content = `{"findings":[{"quote":"${QUOTE}"}]}`;
  const completion: Completion = {
    content: `${content}${ESCAPE}`,
    refusal: null,
    finishReason: 'stop',
    usage,
    model: 'gpt-5-mini',
    requestId: null,
    latencyMs: 4200,
    firstTokenMs: null,
    mode: null,
    wireBody: {
      model: 'gpt-5-mini',
      messages: [
        { role: 'system', content: 'Be exact. ##vso[x]' },
        { role: 'user', content: TEXT },
      ],
    },
  };
  await store.recordResponse(token, completion);
  const settled = await store.settle(token, {
    kind: 'answered',
    callToken: token,
    answer: JSON.parse(content),
    repaired: false,
    call: { state: 'settled', usage, costNanoUsd: 1_200_000 },
  });
  if (!settled.applied || settled.finish === null) throw new Error('expected the finish step');
  await store.settle(settled.finish.token, { kind: 'finished', result: passed(token) });
}

function passed(callToken: string): JobResult {
  const position = { page: null, pageLabel: null, section: 'Retries', line: 1, start: 0, end: QUOTE.length };
  const evidence = { status: 'verified', tier: 'verbatim', reason: null, diff: null, occurrences: 1, position, text: QUOTE } as const;
  const finding = { at: '/findings/0/quote', quote: QUOTE, evidence, pageClaimed: null, pageCorrected: false };
  const score = {
    check: 'evidence',
    type: 'evidence',
    severity: 'must',
    verdict: 'pass',
    value: 1,
    explanation: '',
    findings: [finding],
  } as const;
  return {
    verdict: 'pass',
    scores: [score],
    answer: { findings: [{ quote: QUOTE }] },
    repaired: false,
    reasked: false,
    mode: null,
    callToken,
  };
}

const run = (...args: string[]) => aieval(args, { cwd: dir });

describe('status', () => {
  test('--json is one object with the numbers of the store', async () => {
    const { exitCode, stdout, stderr } = await run('status', '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      v: 1,
      run: { id: RUN_ID, name: 'spec-review', state: 'interrupted', verdict: 'incomplete', finishedAt: null },
      jobs: { total: 5, queued: 3, running: 0, succeeded: 1, failed: 1, cancelled: 0 },
      results: { total: 3, open: 1, pass: 1, fail: 0, review: 0, error: 1 },
      calls: 2,
      cost: { spentUsd: 0.0012, budgetUsd: null },
      dlq: [{ reason: 'refused', count: 1 }],
    });
  });

  test('the screen is plain in a pipe and found from a folder below', async () => {
    mkdirSync(join(dir, 'deep/er'), { recursive: true });
    const { exitCode, stdout } = await run('-C', 'deep/er', 'status', 'r-8k');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^r-8kq2aaaa {2}spec-review {3}INTERRUPTED /);
    expect(stdout).not.toContain('\u001b');
  });

  test("--exit-status is the run's own code, also of one that is paused", async () => {
    expect((await run('status', '--exit-status')).exitCode).toBe(3);
    await run('pause');
    expect((await run('status', '--exit-status')).exitCode).toBe(7);
    await run('resume');
  });

  test('--watch ends with 130 on Ctrl-C', async () => {
    const child = start(['status', '--watch', '--json'], { cwd: dir });
    child.stdout?.once('data', () => child.kill('SIGINT'));
    const { exitCode, stdout } = await ended(child);
    expect(exitCode).toBe(130);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).run.id),
    ).toContain(RUN_ID);
  });

  test('--watch ends when nobody reads any more', async () => {
    const child = start(['status', '--watch', '--json', '-i', '0.05'], { cwd: dir });
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect((await ended(child)).exitCode).toBe(0);
  });

  test('an unknown run names the closest and exits 2', async () => {
    const { exitCode, stderr } = await run('status', 'r-8kq3');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `error[E31]: no run is called "r-8kq3". Closest: ${RUN_ID}\nnext: aieval status ${RUN_ID}\n`,
    });
  });
});

describe('show', () => {
  test('a job by its name: verdict, checks with evidence and place, answer', async () => {
    const { exitCode, stdout } = await run('show', 'specs/auth.md:claims:fast');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^PASS {2}specs\/auth\.md:claims:fast {3}job aaaa/);
    expect(stdout).toContain(
      ' PASS   evidence\n   verified verbatim /findings/0/quote  § Retries, line 1\n            "The server MAY retry"\n',
    );
    expect(stdout).toContain('1 call, $0.0012 · 1 attempt ·');
  });

  test('--prompt gives what was sent, harmless to a build log, --raw the very answer, --attempts the tries', async () => {
    expect((await run('show', 'aaaa', '--prompt')).stdout).toBe(`── system ──\nBe exact. ＃#vso[x]\n\n── user ──\n${TEXT}\n`);
    expect((await run('show', 'aaaa', '--raw')).stdout).toBe(`{"findings":[{"quote":"${QUOTE}"}]}${ESCAPE}\n`);
    expect((await run('show', 'baaa', '--attempts')).stdout).toMatch(/answer +1 +failed +refused .*\n\n answer try 1: the model refused\n/);
  });

  test('--json is the whole record', async () => {
    const record: unknown = JSON.parse((await run('show', 'aaaa', '--json')).stdout);
    expect(record).toMatchObject({
      v: 1,
      run: { id: RUN_ID },
      job: { jobId: JOBS[0]?.jobId, document: 'specs/auth.md', verdict: 'pass', costUsd: 0.0012 },
      answer: { findings: [{ quote: QUOTE }] },
      steps: [
        { kind: 'answer', state: 'succeeded' },
        { kind: 'finish', state: 'succeeded' },
      ],
      attempts: [
        { outcome: 'succeeded', callToken: 'token-1' },
        { outcome: 'succeeded', callToken: null },
      ],
      calls: [{ state: 'settled', costUsd: 0.0012 }],
      checks: [{ check: 'evidence', findings: [{ evidence: { status: 'verified' } }] }],
      coverage: null,
      paths: { folder: join(dir, '.aieval/runs', RUN_ID, 'jobs', JOBS[0]?.jobId ?? '') },
    });
  });

  test('a failed job shows its reason, harmless, and how to retry it', async () => {
    const { stdout } = await run('show', 'specs/auth.md:quotes:fast');
    expect(stdout).toContain(' refused: the model refused\n');
    expect(stdout).toContain(`aieval retry ${RUN_ID} --job baaaaaaa`);
    expect(stdout).not.toContain('\u001b');
    const prompt = await run('show', 'baaa', '--prompt');
    expect(prompt.exitCode).toBe(2);
    expect(prompt.stderr).toMatch(/^error\[E33\]: /);
  });

  test('a name that fits three repeats lists them', async () => {
    const { exitCode, stderr } = await run('show', 'specs/auth.md:ambiguity:fast');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('specs/auth.md:ambiguity:fast#1 (caaaaaaa)');
    expect((await run('show', 'specs/auth.md:ambiguity:fast#2')).stdout).toMatch(/^QUEUED {2}specs\/auth\.md:ambiguity:fast#2/);
  });
});

describe('summary', () => {
  test('works on an unfinished run, as Markdown, text or JSON', async () => {
    const markdown = await run('summary');
    expect(markdown).toMatchObject({ exitCode: 0, stderr: '' });
    expect(markdown.stdout).toMatch(/^<!-- aieval:summary v1/);
    const text = await run('summary', '--format', 'txt');
    expect(text.stdout).not.toContain('<!--');
    for (const json of [await run('summary', '--json'), await run('summary', '--format', 'json')]) {
      expect(JSON.parse(json.stdout)).toMatchObject({ v: 1, run: { id: RUN_ID }, results: { total: 3, pass: 1, error: 1 } });
    }
  });

  test('refuses an artifact URL that is none', async () => {
    expect(await run('summary', '--artifact-url', 'javascript:alert(1)')).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe('storage errors', () => {
  test('a file that is no database is refused with exit 8', async () => {
    writeFileSync(join(dir, 'text.db'), 'not a database, but long enough to have a header of the wrong kind'.repeat(9));
    const { exitCode, stderr } = await run('status', '--db', 'text.db');
    expect(exitCode).toBe(8);
    expect(stderr).toMatch(/^error\[E22\]: .*text\.db is not a database/);
  });

  test('AIEVAL_DB names the database as --db does', async () => {
    const { exitCode } = await aieval(['status'], { cwd: tmpdir(), env: { AIEVAL_DB: join(dir, '.aieval', 'aieval.db') } });
    expect(exitCode).toBe(0);
  });

  test('the state is opened in this process too', async () => {
    const { store, place } = await openState(fakeIo({ cwd: dir }), { manifestPath: null, db: null, out: null, mustExist: true });
    expect(place.found).toBe(true);
    expect((await store.listRuns()).map((each) => each.runId)).toEqual([RUN_ID]);
    await store.close();
  });
});

describe('cancel', () => {
  test('ends the queued work, says so, and does nothing the second time', async () => {
    expect(await run('cancel', '--json')).toEqual({
      exitCode: 0,
      stdout: `{"v":1,"run":"${RUN_ID}","changed":true,"cancelled":3,"running":0}\n`,
      stderr: '',
    });
    expect(await run('cancel')).toEqual({ exitCode: 0, stdout: `Run ${RUN_ID} is cancelled already; nothing was changed.\n`, stderr: '' });
    expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
      run: { state: 'cancelled' },
      jobs: { queued: 0, cancelled: 3 },
    });
    expect((await run('status', '--watch', '--exit-status')).exitCode).toBe(3);
  });
});
