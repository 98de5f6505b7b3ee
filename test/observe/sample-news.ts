import type { EndedCall, WorkedStep } from '../../src/domain/work-news.ts';

export const STEP: WorkedStep = {
  runId: 'r-8kq2aaaa',
  workerId: 'worker-one',
  jobId: 'j3f9aaaaaaaaaaaaaaaaaaaaaa',
  documentId: 'specs/auth.md',
  task: 'quotes',
  model: 'small',
  provider: 'lab',
  stepKind: 'answer',
  token: 'lease-token-one',
  attempt: 1,
};

const CALL = {
  startedAtMs: 1000,
  modelName: 'qwen-32b',
  params: { temperature: 0, maxOutputTokens: 100 },
  baseUrl: 'http://127.0.0.1:8000/v1',
  providerRequestId: 'req-1',
} as const;

/** 31 tokens in 2 s, the first after 0.5 s. */
export const ANSWERED: EndedCall & { readonly result: { readonly ok: true } } = {
  ...CALL,
  latencyMs: 2000,
  result: {
    ...{ ok: true, modelName: 'qwen-32b-2026', finishReason: 'stop', costNanoUsd: 2_000_000, firstTokenMs: 500 },
    usage: { uncachedInput: 80, cacheRead: 20, cacheWrite: 0, output: 31, reasoning: 0 },
  },
};

export const FAILED: EndedCall & { readonly result: { readonly ok: false } } = {
  ...CALL,
  latencyMs: 40,
  result: { ok: false, failure: { class: 'rate', reason: 'rate_limited', status: 429 }, costNanoUsd: 0 },
};
