import { describe, expect, test } from 'vitest';
import { headerDocument, keepsArtifacts, resultLine, runHeader } from '../../src/artifacts/result-line.ts';
import { coverage } from '../report/sample.ts';
import { record } from './sample.ts';

describe('resultLine', () => {
  test('has money in USD and a folder', () => {
    expect(resultLine(record().job, 'all')).toEqual({
      v: 1,
      jobId: 'j3f9abcdefghijklmnopqrstuv',
      document: 'a.md',
      task: 'claims',
      model: 'fast',
      repeat: 0,
      state: 'succeeded',
      verdict: 'pass',
      scores: [],
      usage: { uncachedInput: 30, cacheRead: 0, cacheWrite: 0, output: 15, reasoning: 0 },
      costUsd: 0.002,
      calls: 3,
      attempts: 2,
      retries: 1,
      cached: false,
      repaired: false,
      reasked: true,
      latencyMs: 1200,
      origin: null,
      error: null,
      artifacts: 'jobs/j3f9abcdefghijklmnopqrstuv',
    });
  });

  test('of a job that is asked afresh says nothing of its old result', () => {
    const { job } = record();
    expect(job.result?.reasked).toBe(true);
    expect(resultLine({ ...job, state: 'queued', verdict: null }, 'all')).toMatchObject({
      state: 'queued',
      verdict: null,
      scores: [],
      reasked: false,
      artifacts: null,
    });
  });

  test('has the coverage of its answer without the spans, and none where none was kept', () => {
    const { job } = record();
    const { spans, ...kept } = { ...coverage({ parts: 2 }), spans: [{ start: 0, end: 1000 }] };
    const result = { verdict: 'pass', scores: [], answer: null, repaired: false, reasked: false, mode: null, callToken: null } as const;
    expect(resultLine({ ...job, result: { ...result, coverage: { ...kept, spans } } }, 'all').coverage).toEqual(kept);
    expect(resultLine({ ...job, result }, 'all')).not.toHaveProperty('coverage');
  });

  test('of a hit names the job that paid', () => {
    const origin = { runId: 'r-1', jobId: 'x', costNanoUsd: 5_000_000, latencyMs: 900 };
    expect(resultLine({ ...record().job, cached: true, costNanoUsd: 0, origin }, 'paid')).toMatchObject({
      costUsd: 0,
      origin: { runId: 'r-1', jobId: 'x', costUsd: 0.005, latencyMs: 900 },
      artifacts: null,
    });
  });

  test.each([
    ['all', 'pass', false, true],
    ['all', 'pass', true, true],
    ['paid', 'pass', true, false],
    ['paid', 'fail', false, true],
    ['failures', 'pass', false, false],
    ['failures', 'fail', true, true],
    ['failures', 'error', false, true],
  ] as const)('artifacts "%s" of a %s, cached %s: %s', (mode, verdict, cached, kept) => {
    expect(keepsArtifacts({ state: verdict === 'error' ? 'failed' : 'succeeded', verdict, cached }, mode)).toBe(kept);
    expect(keepsArtifacts({ state: 'running', verdict: null, cached }, mode)).toBe(false);
  });
});

describe('runHeader', () => {
  test('says of a document what is known of its text', () => {
    const content = { ok: true, textSha256: 't' } as const;
    const text = { pages: [{ number: 1, label: null, start: 0, end: 3 }], text: 'abc', warnings: ['w'] };
    expect(headerDocument({ documentId: 'a.pdf', bytesSha256: 'b', content }, text)).toEqual({
      id: 'a.pdf',
      bytesSha256: 'b',
      textSha256: 't',
      pages: 1,
      characters: 3,
      warnings: ['w'],
      error: null,
    });
    const unreadable = { ok: false, reason: 'document_unreadable', message: 'm' } as const;
    expect(headerDocument({ documentId: 'x', bytesSha256: null, content: unreadable }, null)).toEqual({
      id: 'x',
      bytesSha256: null,
      textSha256: null,
      pages: null,
      characters: null,
      warnings: [],
      error: { reason: 'document_unreadable', message: 'm' },
    });
  });

  test('has times in UTC, the provider type of each model, and of what the run is a part', () => {
    const task = {
      id: 'claims',
      prompt: 'p',
      system: null,
      vars: {},
      output: { format: 'json', schema: null, strict: true, reask: 1 },
      checks: [],
      documents: null,
      models: null,
      repeats: 3,
      aggregate: 'all',
      priority: 0,
      chunk: null,
      merge: null,
    } as const;
    const provider = {
      id: 'tape',
      type: 'replay',
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
    } as const;
    const timeouts = { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 };
    const model = {
      id: 'fast',
      provider: 'tape',
      model: 'gpt',
      group: null,
      params: {},
      price: null,
      contextTokens: null,
      structuredOutput: 'auto',
      timeouts,
    } as const;
    const input = {
      run: {
        runId: 'r-1',
        name: 'n',
        state: 'open',
        manifestPath: 'manifest.json',
        settings: { gate: { minPassRate: 0.8, maxErrorRate: 0 } },
        createdAtMs: 0,
        finishedAtMs: null,
      },
      manifest: { tasks: { claims: task }, models: { fast: model }, providers: { tape: provider }, privacy: { evidence: 'quote' } },
      documents: [],
      jobs: 7,
      version: '0.1.0',
    } as const;
    const whole = {
      v: 1,
      kind: 'run',
      run: { id: 'r-1', name: 'n', state: 'open', startedAt: '1970-01-01T00:00:00.000Z', finishedAt: null },
      version: '0.1.0',
      manifest: 'manifest.json',
      gate: { minPassRate: 0.8, maxErrorRate: 0 },
      privacy: 'quote',
      tasks: { claims: { repeats: 3, aggregate: 'all' } },
      models: { fast: { provider: 'replay', model: 'gpt' } },
      documents: [],
      jobs: 7,
    };
    expect(runHeader(input)).toEqual(whole);
    const selection = { document: [], task: ['claims'], model: [], first: null };
    const part = { ...input.run, settings: { ...input.run.settings, selection, selectedOf: 9 } };
    expect(runHeader({ ...input, run: part })).toEqual({ ...whole, selection: { options: '--task claims', jobs: 7, of: 9 } });
  });
});
