import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Completion } from '../../src/domain/completion.ts';
import type { Coverage } from '../../src/domain/coverage.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { JobResult } from '../../src/domain/result.ts';
import type { Score } from '../../src/domain/score.ts';
import { openStore } from '../../src/store/open.ts';
import type { NewStep } from '../../src/store/plan-rows.ts';
import type { Store } from '../../src/store/store.ts';
import { lane } from '../store/rows.ts';
import { aieval } from './binary.ts';
import { MANIFEST, sampleRun } from './sample-run.ts';

const RUN_ID = 'r-8kq2aaaa';
const JOB_ID = 'a'.repeat(26);
const TEXT = 'One.\n\nTwo.\n';
const CONTENT: CanonicalText = {
  ...{ format: 'pdf', extractor: 'pdf:x+norm:1', title: null, text: TEXT, textSha256: 't'.repeat(64), pages: [], sections: [], blocks: [] },
  lostPages: [{ number: 7, label: null, why: 'cannot be read' }],
  lines: { start: [0], number: [1] },
  warnings: ['page 1: hidden text left out', 'page 2: hidden text left out'],
};
const COVERAGE: Coverage = {
  ...{ textSha256: CONTENT.textSha256, extractor: CONTENT.extractor, spans: [{ start: 0, end: 11 }], characters: 11, of: 11, parts: 2 },
  ...{ sections: { seen: 0, of: 0, missed: [] }, pages: null, lostPages: CONTENT.lostPages },
};

let dir = '';
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'aieval-steps-'));
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

/** A job whose document was asked in two parts, both answered. */
async function fill(store: Store): Promise<void> {
  const { settings } = sampleRun();
  await store.openRun({
    ...{ runId: RUN_ID, identity: 'identity', name: 'spec-review', manifestPath: join(dir, 'manifest.json'), manifest: MANIFEST, settings },
    ...{ outDir: join(dir, '.aieval', 'runs', RUN_ID), forceNew: false, moveOut: false, lanes: [lane({ laneId: 'lane', concurrency: 4 })] },
    aggregates: { claims: { repeats: 1, aggregate: 'majority' } },
  });
  const content = { ok: true, textSha256: CONTENT.textSha256, text: CONTENT } as const;
  await store.addDocuments(RUN_ID, [{ documentId: 'a.pdf', path: '/x', bytesSha256: 'b', tags: [], sizeBytes: 48, content }]);
  const named = { documentId: 'a.pdf', textSha256: CONTENT.textSha256, task: 'claims', model: 'fast', repeat: 0, priority: 0 };
  await store.addJobs(RUN_ID, [{ ...named, jobId: JOB_ID, seq: 0, failure: null, later: [], steps: [chunk(0), chunk(1)] }]);
  await store.markPlanned(RUN_ID);
  await store.registerWorker({ workerId: 'w', runId: RUN_ID, hostId: 'h', hostname: 'laptop', pid: 1, version: '0.1.0' });
  await answer(store);
  await answer(store);
  await store.removeWorker('w');
}

function chunk(index: number): NewStep {
  const part = { start: index * 6, end: index * 6 + 5, ownStart: index * 6, index, of: 2 };
  const asked = { kind: 'chunk', index, key: `key-${index}`, keyRecord: {}, input: { kind: 'part', part } } as const;
  return { ...asked, laneId: 'lane', inputTokens: 10, maxInputTokens: 10, prefix: null };
}

async function answer(store: Store): Promise<void> {
  const reply = await store.claim({ runId: RUN_ID, workerId: 'w' });
  if (reply.kind !== 'claimed') throw new Error(`expected a claim, got ${reply.kind}`);
  const { token, work } = reply.claim;
  const part = work.kind === 'call' && work.input?.kind === 'part' ? work.input.part.index + 1 : 0;
  await store.markSent(token);
  const usage = { uncachedInput: 9, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 };
  const completion: Completion = {
    ...{ content: `answer of part ${part}`, refusal: null, finishReason: 'stop', usage, model: 'm', requestId: null, latencyMs: 1 },
    ...{ firstTokenMs: null, mode: null, wireBody: { model: 'm', messages: [{ role: 'user', content: `question of part ${part}` }] } },
  };
  await store.recordResponse(token, completion);
  const call = { state: 'settled', usage, costNanoUsd: 1 } as const;
  const settled = await store.settle(token, { kind: 'answered', callToken: token, answer: { part }, repaired: false, call });
  if (settled.applied && settled.finish !== null) await store.settle(settled.finish.token, { kind: 'finished', result: RESULT });
}

const SCORE: Score = {
  ...{ check: 'evidence', type: 'evidence', severity: 'must', verdict: 'review', value: 0, explanation: 'one absence', findings: [] },
  absences: [{ at: '/limits/0/quote', searched: [], sections: { seen: 0, of: 0 }, whole: false }],
};

const RESULT: JobResult = {
  ...{ verdict: 'review', scores: [SCORE], answer: {}, repaired: false, reasked: false, mode: null, callToken: null },
  coverage: COVERAGE,
};

const run = (...args: string[]) => aieval(args, { cwd: dir });

test('a job with parts shows what was seen, and how to see each of its steps', async () => {
  const { exitCode, stdout } = await run('show', 'aaaa');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('\n Seen by the model: the whole text, 11 characters in 2 parts\n Evaluated without page 7: cannot be read\n');
  expect(stdout).toContain('\n   absent /limits/0/quote  the answer says that the document does not say it\n');
  expect(stdout).toContain('--prompt --step chunk-1 · ');
});

test('--step names the step whose prompt or answer is meant; without it the one that is shown is said', async () => {
  expect(await run('show', 'aaaa', '--raw', '--step', 'chunk-2')).toEqual({ exitCode: 0, stdout: 'answer of part 2\n', stderr: '' });
  expect((await run('show', 'aaaa', '--step', 'chunk-2')).stdout).toBe('── user ──\nquestion of part 2\n');
  expect(await run('show', 'aaaa', '--prompt')).toEqual({
    exitCode: 0,
    stdout: '── user ──\nquestion of part 1\n',
    stderr: 'note: this is chunk-1; --step names another: chunk-2\n',
  });
  expect(await run('show', 'aaaa', '--raw', '--step', 'reduce')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^error\[E32\]: job aaaaaaaa has no step "reduce"; it has chunk-1, chunk-2\n/),
  });
  expect((await run('show', 'aaaa', '--attempts')).stdout).toMatch(/\nchunk-1 +1 +succeeded .*\nchunk-2 +1 +succeeded /);
});

test('--json has the coverage with its spans, the absences, and the steps by name with their parts', async () => {
  expect(JSON.parse((await run('show', 'aaaa', '--json')).stdout)).toMatchObject({
    coverage: COVERAGE,
    absences: [{ check: 'evidence', at: '/limits/0/quote', whole: false }],
    steps: [
      { name: 'chunk-1', part: { index: 0, of: 2, start: 0, end: 5 } },
      { name: 'chunk-2', part: { index: 1, of: 2, start: 6, end: 11 } },
      { name: 'finish-1', part: null },
    ],
  });
});

test('each part stands with its state, its tries and its cost', async () => {
  expect((await run('show', 'aaaa')).stdout).toContain(
    [
      '',
      ' PART    STATE     TRIES  COST          STEP',
      ' 1 of 2  answered  1      $0.000000001  chunk-1',
      ' 2 of 2  answered  1      $0.000000001  chunk-2',
      '',
    ].join('\n'),
  );
});

test('prompt, answer, attempts and document are JSON, too', async () => {
  const json = async (...args: string[]): Promise<unknown> => JSON.parse((await run('show', 'aaaa', ...args, '--json')).stdout);
  const part = { v: 1, runId: RUN_ID, jobId: JOB_ID, document: 'a.pdf', task: 'claims', model: 'fast', repeat: 0 };
  expect(await json('--prompt', '--step', 'chunk-2')).toEqual({
    ...part,
    step: 'chunk-2',
    body: { model: 'm', messages: [{ role: 'user', content: 'question of part 2' }] },
  });
  expect(await json('--raw', '--step', 'chunk-2')).toMatchObject({
    ...part,
    step: 'chunk-2',
    response: { content: 'answer of part 2', finishReason: 'stop' },
  });
  expect(await json('--attempts')).toMatchObject({
    ...part,
    attempts: [{ step: 'chunk-1', number: 1 }, { step: 'chunk-2', number: 1 }, { step: 'finish' }],
    calls: [
      { step: 'chunk-1', costUsd: 1e-9 },
      { step: 'chunk-2', costUsd: 1e-9 },
    ],
  });
  expect(await json('--doc')).toMatchObject({ ...part, text: TEXT, quotes: [], lines: CONTENT.lines });
});

test('the summary tells parts, lost pages, absences and document warnings, from the rows as from results.jsonl', async () => {
  const { stdout } = await run('summary', '--format', 'txt');
  expect(stdout).toContain('1 claim that the document does not say something: shown with what was searched');
  expect(stdout).toContain('1 job asked its document in 2 parts.');
  expect(stdout).toContain('Not evaluated in full (1 document)\n  - a.pdf  evaluated without page 7: cannot be read\n');
  expect(stdout).toContain('Document warnings (1)\n  - pages 1–2: hidden text left out  (a.pdf)\n');
});
