import { expect, test } from 'vitest';
import type { WorkNews } from '../../../src/domain/work-news.ts';
import { LOG_LEVELS, type LogLevel } from '../../../src/observe/log/log-record.ts';
import { openWorkLog } from '../../../src/observe/log/work-log.ts';
import { workRecord } from '../../../src/observe/log/work-record.ts';
import { scrub, secretsOf } from '../../../src/providers/secrets.ts';
import { ANSWERED, FAILED, STEP } from '../sample-news.ts';

const NOW_MS = Date.UTC(2026, 10, 30, 8, 0, 0);
const KEY = 'Zq7/Rt+Wv9Yp';

function written(news: readonly WorkNews[], level: LogLevel = 'debug'): Record<string, unknown>[] {
  const lines: string[] = [];
  const redact = (text: string): string => scrub(text, secretsOf([KEY]));
  const log = openWorkLog({ level, write: (line) => lines.push(line), redact, now: () => NOW_MS });
  for (const one of news) log(workRecord(one));
  for (const line of lines) expect(line).toMatch(/^\{.*\}\n$/);
  return lines.map((line) => JSON.parse(line));
}

const WHOSE = {
  ...{ v: 1, ts: '2026-11-30T08:00:00.000Z', run_id: STEP.runId, job_id: STEP.jobId, worker_id: STEP.workerId },
  ...{ document: 'specs/auth.md', task: 'quotes', model: 'small', provider: 'lab', step: 'answer', attempt: 1 },
  trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
};
const RETRY: WorkNews = { kind: 'step.ended', step: STEP, atMs: 0, outcome: 'failed', failure: FAILED.result.failure, retryAtMs: NOW_MS };
const ALL: readonly WorkNews[] = [
  { kind: 'step.started', step: STEP, atMs: 0 },
  { kind: 'call.ended', step: STEP, atMs: 0, call: ANSWERED },
  { kind: 'call.ended', step: STEP, atMs: 0, call: FAILED },
  RETRY,
  { ...RETRY, outcome: 'answered', failure: null, retryAtMs: null },
  { ...RETRY, outcome: 'lost', failure: null, retryAtMs: null },
  { kind: 'job.ended', step: { ...STEP, attempt: null }, atMs: 0, state: 'succeeded', verdict: 'pass', cached: false, reason: null },
  { kind: 'job.ended', step: STEP, atMs: 0, state: 'failed', verdict: 'error', cached: false, reason: 'refused' },
];

test('every line says whose it is, and what came of it', () => {
  const lines = written(ALL);
  const failed = { reason: 'rate_limited', class: 'rate', status: 429 };
  const { attempt: _, ...unasked } = WHOSE;
  expect(lines).toEqual([
    { ...WHOSE, level: 'debug', event: 'step.started' },
    {
      ...{ ...WHOSE, level: 'info', event: 'call.answered', provider_request_id: 'req-1', latency_ms: 2000, first_token_ms: 500 },
      ...{ finish_reason: 'stop', cost_usd: 0.002, input_tokens: 100, cached_input_tokens: 20, output_tokens: 31 },
    },
    { ...WHOSE, level: 'warn', event: 'call.failed', provider_request_id: 'req-1', latency_ms: 40, cost_usd: 0, ...failed },
    { ...WHOSE, level: 'warn', event: 'step.retry', outcome: 'failed', ...failed, retry_at: '2026-11-30T08:00:00.000Z' },
    { ...WHOSE, level: 'debug', event: 'step.ended', outcome: 'answered' },
    { ...WHOSE, level: 'warn', event: 'lease.lost' },
    { ...unasked, level: 'info', event: 'job.ended', state: 'succeeded', verdict: 'pass', cached: false },
    { ...WHOSE, level: 'error', event: 'job.ended', state: 'failed', verdict: 'error', cached: false, reason: 'refused' },
  ]);
  expect(new Set(lines.map(({ trace_id: id }) => id)).size).toBe(1);
});

test('a level leaves out what is below it', () => {
  const counts = LOG_LEVELS.map((level) => written(ALL, level).length);
  expect(counts).toEqual([8, 6, 4, 1]);
});

test('a secret in the middle of a text is taken out, whoever put it there', () => {
  const step = { ...STEP, documentId: `docs/${KEY}.md`, task: 'about sk-abcdefghijklmnop1234' };
  const [line] = written([{ kind: 'call.ended', step, atMs: 0, call: { ...ANSWERED, providerRequestId: `id-${KEY}-id` } }]);
  expect(line).toMatchObject({ document: 'docs/[removed].md', task: 'about [removed]', provider_request_id: 'id-[removed]-id' });
});
