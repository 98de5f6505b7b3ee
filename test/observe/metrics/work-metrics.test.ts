import { describe, expect, test } from 'vitest';
import type { EndedCall, WorkedStep, WorkNews } from '../../../src/domain/work-news.ts';
import { expose, preferredFormat } from '../../../src/observe/metrics/exposition.ts';
import { MetricSet } from '../../../src/observe/metrics/metric-set.ts';
import { setQueue } from '../../../src/observe/metrics/queue-metrics.ts';
import { WorkMetrics } from '../../../src/observe/metrics/work-metrics.ts';
import { ANSWERED, FAILED, STEP } from '../sample-news.ts';
import { readOpenMetrics, samplesOf, seriesValue } from './openmetrics.ts';

const LABELS = { provider: 'lab', model: 'small', task: 'quotes' };

/** What is served after this was heard. */
async function served(news: readonly WorkNews[], format: 'prometheus' | 'openmetrics' = 'prometheus'): Promise<string> {
  const metrics = new MetricSet();
  const work = new WorkMetrics(metrics);
  for (const one of news) work.onWork(one);
  return expose(await metrics.families(), format);
}

const called = (call: EndedCall, step: WorkedStep = STEP): WorkNews => ({ kind: 'call.ended', step, atMs: 0, call });
const ended = (change: Partial<Extract<WorkNews, { kind: 'job.ended' }>>): WorkNews => ({
  ...{ kind: 'job.ended', step: STEP, atMs: 0, state: 'succeeded', verdict: 'pass', cached: false, reason: null },
  ...change,
});

describe('what is counted of work', () => {
  test('an answered call, its time, its speed, its tokens and its cost', async () => {
    const text = await served([called(ANSWERED)]);
    expect(seriesValue(text, 'aieval_calls_total', { ...LABELS, outcome: 'answered' })).toBe(1);
    expect(seriesValue(text, 'aieval_call_duration_seconds_sum')).toBe(2);
    expect(seriesValue(text, 'aieval_first_token_seconds_sum')).toBe(0.5);
    expect(seriesValue(text, 'aieval_between_tokens_seconds_sum')).toBeCloseTo(0.05);
    expect(seriesValue(text, 'aieval_tokens_total', { kind: 'input' })).toBe(80);
    expect(seriesValue(text, 'aieval_tokens_total', { kind: 'cached_input' })).toBe(20);
    expect(seriesValue(text, 'aieval_tokens_total', { kind: 'output' })).toBe(31);
    expect(seriesValue(text, 'aieval_cost_usd_total', LABELS)).toBe(0.002);
  });

  test('a call whose price is unknown has no cost, not one of 0', async () => {
    const text = await served([called({ ...ANSWERED, result: { ...ANSWERED.result, costNanoUsd: null } })]);
    expect(samplesOf(text).filter(({ name }) => name.startsWith('aieval_cost'))).toEqual([]);
  });

  test('an answer that came in one piece tells nothing of tokens', async () => {
    const text = await served([called({ ...ANSWERED, result: { ...ANSWERED.result, firstTokenMs: null } })]);
    expect(samplesOf(text).filter(({ name }) => /first_token|between/.test(name))).toEqual([]);
  });

  test('a refusal for the rate, its retry, and a lost lease', async () => {
    const failure = FAILED.result.failure;
    const retried: WorkNews = { kind: 'step.ended', step: STEP, atMs: 0, outcome: 'failed', failure, retryAtMs: 5 };
    const text = await served([called(FAILED), retried, { ...retried, retryAtMs: null }, { ...retried, outcome: 'lost', failure: null }]);
    expect(seriesValue(text, 'aieval_calls_total', { outcome: 'rate_limited' })).toBe(1);
    expect(seriesValue(text, 'aieval_rate_limited_total', { provider: 'lab', model: 'small' })).toBe(1);
    expect(seriesValue(text, 'aieval_retries_total', { provider: 'lab', model: 'small', reason: 'rate_limited' })).toBe(1);
    expect(seriesValue(text, 'aieval_lease_losses_total')).toBe(1);
    expect(samplesOf(text).filter(({ name }) => name.startsWith('aieval_call_duration'))).toEqual([]);
  });

  test('jobs by verdict, and whether their answer was known; a cancelled one is neither hit nor miss', async () => {
    const text = await served([
      ended({}),
      ended({ cached: true }),
      ended({ verdict: 'error', state: 'failed' }),
      ended({ state: 'cancelled', verdict: 'error' }),
    ]);
    expect(seriesValue(text, 'aieval_jobs_ended_total', { ...LABELS, verdict: 'pass' })).toBe(2);
    expect(seriesValue(text, 'aieval_jobs_ended_total', { ...LABELS, verdict: 'error' })).toBe(1);
    expect(seriesValue(text, 'aieval_jobs_ended_total', { ...LABELS, verdict: 'cancelled' })).toBe(1);
    expect(seriesValue(text, 'aieval_cache_hits_total', LABELS)).toBe(1);
    expect(seriesValue(text, 'aieval_cache_misses_total', LABELS)).toBe(2);
  });

  test('what is worked on now', async () => {
    const other = { ...STEP, token: 'other' };
    const begun: WorkNews[] = [
      { kind: 'step.started', step: STEP, atMs: 0 },
      { kind: 'step.started', step: other, atMs: 0 },
    ];
    expect(seriesValue(await served(begun), 'aieval_steps_in_flight')).toBe(2);
    const over: WorkNews = { kind: 'step.ended', step: other, atMs: 0, outcome: 'answered', failure: null, retryAtMs: null };
    expect(seriesValue(await served([...begun, over]), 'aieval_steps_in_flight')).toBe(1);
  });

  test('the names of a thousand manifests make no more series than two hundred, and one for the rest', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => called(ANSWERED, { ...STEP, task: `task ${n}` }));
    const calls = samplesOf(await served(many)).filter(({ name }) => name === 'aieval_calls_total');
    expect(calls).toHaveLength(201);
    expect(calls.at(-1)).toEqual({
      name: 'aieval_calls_total',
      labels: { provider: 'other', model: 'other', task: 'other', outcome: 'answered' },
      value: 800,
    });
  });

  test('neither a job nor a document is ever a label', async () => {
    const text = await served([called(ANSWERED), ended({}), { kind: 'step.started', step: STEP, atMs: 0 }]);
    for (const { labels } of samplesOf(text))
      expect(Object.keys(labels)).not.toEqual(expect.arrayContaining([expect.stringMatching(/job|doc|run/)]));
    for (const secret of [STEP.jobId, STEP.documentId, STEP.token, STEP.runId, STEP.workerId]) expect(text).not.toContain(secret);
  });
});

describe('what is served', () => {
  const QUEUE = {
    jobs: { queued: 3, running: 2, succeeded: 4, failed: 1, cancelled: 0 },
    oldestSeconds: { queued: 12.5, running: null },
    ...{ cachedJobs: 1, lostLeases: 0, spentUsd: 0.25, budget: { leftUsd: 0.75, ofUsd: 1 }, workersAlive: 2, desiredWorkers: 3 },
  };

  test('is valid OpenMetrics, with hostile names and without them', async () => {
    const step = { ...STEP, task: 'a "quoted"\\\ntask', model: 'modèle' };
    const text = await served([called(ANSWERED, step), called(ANSWERED), called(FAILED), ended({})], 'openmetrics');
    const families = readOpenMetrics(text);
    expect(families.find(({ name }) => name === 'aieval_calls')).toMatchObject({
      type: 'counter',
      samples: expect.arrayContaining([expect.objectContaining({ name: 'aieval_calls_total' })]),
    });
    readOpenMetrics(await served([], 'openmetrics'));
  });

  test('has the same names and values in either format, whoever asked before in which', async () => {
    const metrics = new MetricSet();
    new WorkMetrics(metrics).onWork(called(ANSWERED));
    setQueue(metrics, QUEUE);
    const texts = [];
    for (const format of ['prometheus', 'openmetrics', 'prometheus'] as const) texts.push(expose(await metrics.families(), format));
    expect(texts[2]).toBe(texts[0]);
    const plain = (text = '') =>
      samplesOf(text).map(({ name, labels, value }) => [
        name,
        { ...labels, ...(labels.le === undefined ? {} : { le: labels.le.replace('.0', '') }) },
        value,
      ]);
    expect(plain(texts[1])).toEqual(plain(texts[0]));
  });

  test("has the store's numbers, and none where it does not answer", async () => {
    const metrics = new MetricSet();
    setQueue(metrics, QUEUE);
    const there = expose(await metrics.families(), 'prometheus');
    expect(seriesValue(there, 'aieval_store_up')).toBe(1);
    expect(seriesValue(there, 'aieval_jobs', { state: 'queued' })).toBe(3);
    expect(seriesValue(there, 'aieval_oldest_step_seconds', { state: 'queued' })).toBe(12.5);
    expect(seriesValue(there, 'aieval_oldest_step_seconds', { state: 'running' })).toBe(0);
    expect(seriesValue(there, 'aieval_budget_left_ratio')).toBe(0.75);
    expect(seriesValue(there, 'aieval_desired_workers')).toBe(3);
    setQueue(metrics, { ...QUEUE, budget: null, spentUsd: null });
    const free = expose(await metrics.families(), 'prometheus');
    expect([seriesValue(free, 'aieval_budget_left_usd'), seriesValue(free, 'aieval_spent_usd')]).toEqual([undefined, undefined]);
    setQueue(metrics, null);
    const gone = samplesOf(expose(await metrics.families(), 'prometheus')).filter(({ labels }) => labels.le === undefined);
    expect(gone.filter(({ name }) => /jobs$|oldest|spent|budget|workers/.test(name))).toEqual([]);
    expect(gone).toContainEqual({ name: 'aieval_store_up', labels: {}, value: 0 });
  });
});

test.each([
  ['', 'prometheus'],
  ['*/*', 'prometheus'],
  ['text/plain', 'prometheus'],
  ['application/openmetrics-text', 'openmetrics'],
  [
    'application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    'openmetrics',
  ],
  ['application/openmetrics-text;q=0.1, text/plain;q=0.9', 'prometheus'],
  ['application/openmetrics-text;q=0', 'prometheus'],
  ['application/openmetrics-text;q=nonsense', 'prometheus'],
])('who accepts "%s" gets %s', (accept, format) => {
  expect(preferredFormat(accept)).toBe(format);
});
