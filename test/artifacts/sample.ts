import type { JobArtifacts } from '../../src/artifacts/job-record.ts';
import type { Completion } from '../../src/domain/completion.ts';

export const TEXT = { sha256: 'f'.repeat(64), text: `# Retry\n\n${'The server MUST retry after 1032 ms. '.repeat(10)}` };

export function completion(content: string, prompt = `Read this:\n${TEXT.text}\nWhat is wrong?`): Completion {
  return {
    content,
    refusal: null,
    finishReason: 'stop',
    usage: { uncachedInput: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 },
    model: 'gpt-5-mini-2026',
    requestId: 'req-1',
    latencyMs: 1200,
    firstTokenMs: 300,
    mode: 'json_schema',
    wireBody: {
      model: 'gpt-5-mini',
      messages: [
        { role: 'system', content: 'Be exact.' },
        { role: 'user', content: prompt },
      ],
      stream: true,
    },
  };
}

/** A job whose first answer was cut, whose second was invalid and whose re-ask gave the answer. */
export function record(): JobArtifacts {
  const usage = { uncachedInput: 30, cacheRead: 0, cacheWrite: 0, output: 15, reasoning: 0 };
  return {
    job: {
      jobId: 'j3f9abcdefghijklmnopqrstuv',
      documentId: 'a.md',
      bytesSha256: 'b'.repeat(64),
      textSha256: TEXT.sha256,
      task: 'claims',
      model: 'fast',
      repeat: 0,
      state: 'succeeded',
      verdict: 'pass',
      result: {
        verdict: 'pass',
        scores: [],
        answer: { findings: [] },
        repaired: false,
        reasked: true,
        mode: 'json_schema',
        callToken: 't3',
      },
      error: null,
      usage,
      costNanoUsd: 2_000_000,
      calls: 3,
      attempts: 2,
      retries: 1,
      cached: false,
      origin: null,
      latencyMs: 1200,
      endedAtMs: 1_700_000_000_000,
    },
    steps: [
      { stepId: 7, kind: 'answer', index: 0, callToken: 't2', part: null },
      { stepId: 9, kind: 'reask', index: 0, callToken: 't3', part: null },
      { stepId: 10, kind: 'finish', index: 0, callToken: null, part: null },
    ],
    attempts: [
      { stepId: 9, number: 1, callToken: 't3', outcome: 'succeeded', failure: null, startedAtMs: 3000, endedAtMs: 4000 },
      {
        stepId: 7,
        number: 1,
        callToken: 't1',
        outcome: 'failed',
        failure: { class: 'transient', reason: 'stream_cut', message: 'the stream ended early', partial: '{"fin' },
        startedAtMs: 1000,
        endedAtMs: 1500,
      },
      { stepId: 7, number: 2, callToken: 't2', outcome: 'superseded', failure: null, startedAtMs: 2000, endedAtMs: 2900 },
    ],
    calls: [
      { callToken: 't3', stepId: 9, state: 'settled', usage, costNanoUsd: 1_000_000, sentAtMs: 3000 },
      { callToken: 't1', stepId: 7, state: 'unknown', usage: null, costNanoUsd: null, sentAtMs: 1000 },
      { callToken: 't2', stepId: 7, state: 'settled', usage, costNanoUsd: 1_000_000, sentAtMs: 2000 },
    ],
    completions: new Map([
      ['t1', completion('{"fin')],
      ['t2', completion('{"wrong":1}')],
      ['t3', completion('{"findings":[]}')],
    ]),
    text: TEXT,
    pages: [],
  };
}

/** Two parts that share a sentence, and then what stands only in one of them. */
export const PARTS = [
  { index: 0, of: 2, start: 0, end: 190, ownStart: 0 },
  { index: 1, of: 2, start: 150, end: TEXT.text.length, ownStart: 190 },
];

/**
 * A job that was asked in two parts, of which the second had its answer from another job; `reduced`: and then one answer was made of
 * them, at the second try.
 */
export function recordOfParts({ reduced = false } = {}): JobArtifacts {
  const { job, text } = record();
  const [first, second] = PARTS.map((part) =>
    completion(`{"findings":[${part.index}]}`, `Part ${part.index + 1}: ${TEXT.text.slice(part.start, part.end)}\nWhat is wrong?`),
  );
  const result = job.result === null ? null : { ...job.result, callToken: reduced ? 't4' : null };
  const call = { stepId: 7, state: 'settled', usage: null, costNanoUsd: null } as const;
  const reduce = [
    { stepId: 10, kind: 'reduce', index: 0, callToken: 't3', part: null },
    { stepId: 11, kind: 'reask', index: 0, callToken: 't4', part: null },
  ] as const;
  return {
    job: { ...job, result },
    steps: [
      { stepId: 7, kind: 'chunk', index: 0, callToken: 't1', part: PARTS[0] ?? null },
      { stepId: 8, kind: 'chunk', index: 1, callToken: 'borrowed', part: PARTS[1] ?? null },
      { stepId: 9, kind: 'finish', index: 0, callToken: null, part: null },
      ...(reduced ? reduce : []),
    ],
    attempts: [],
    calls: [
      { ...call, callToken: 't1', sentAtMs: 1000 },
      ...(reduced ? reduce.map(({ stepId, callToken }) => ({ ...call, stepId, callToken, sentAtMs: 1000 + stepId })) : []),
    ],
    completions: new Map([
      ['t1', first ?? completion('')],
      ['borrowed', second ?? completion('')],
      ...(reduced ? reduce.map(({ callToken }) => [callToken, completion('{"summary":"x"}', `Reduce: ${TEXT.text}`)] as const) : []),
    ]),
    text,
    pages: [
      { number: 1, label: null, start: 0, end: 100 },
      { number: 2, label: null, start: 100, end: 180 },
      { number: 3, label: null, start: 180, end: TEXT.text.length },
    ],
  };
}
