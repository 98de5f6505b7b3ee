import { describe, expect, it } from 'vitest';
import type { Completion } from '../../src/domain/completion.ts';
import { answerFailure } from '../../src/providers/classify-answer.ts';

function completion(parts: Partial<Completion>): Completion {
  const usage = { uncachedInput: 10, cacheRead: 0, cacheWrite: 0, output: 200, reasoning: 200 };
  return {
    content: '{"score": 4}',
    refusal: null,
    finishReason: 'stop',
    usage,
    model: 'm',
    requestId: 'req-1',
    latencyMs: 1,
    firstTokenMs: 1,
    mode: 'json_schema',
    wireBody: {},
    ...parts,
  };
}

describe('a complete answer', () => {
  it('that stopped by itself is good', () => {
    expect(answerFailure(completion({}))).toBeNull();
    expect(answerFailure(completion({ finishReason: 'other' }))).toBeNull();
  });

  it.each<[string, Partial<Completion>, object]>([
    [
      'cut by the limit is truncated, though it looks complete',
      { finishReason: 'length' },
      { class: 'quality', reason: 'truncated', partial: '{"score": 4}' },
    ],
    ['that is a refusal is refused', { refusal: 'I cannot.', content: '' }, { class: 'quality', reason: 'refused', partial: 'I cannot.' }],
    ['stopped by a filter is blocked', { finishReason: 'content_filter' }, { class: 'permanent', reason: 'blocked_output' }],
    ['of white space is empty', { content: ' \n' }, { class: 'quality', reason: 'empty_answer' }],
    ['that calls a tool instead is empty', { content: '', finishReason: 'tool_calls' }, { class: 'quality', reason: 'empty_answer' }],
  ])('%s', (_title, parts, expected) => {
    expect(answerFailure(completion(parts))).toMatchObject({ ...expected, requestId: 'req-1' });
  });

  it('without a word at the limit says that reasoning used it up', () => {
    const failure = answerFailure(completion({ finishReason: 'length', content: '' }));
    expect(failure).toMatchObject({ reason: 'truncated' });
    expect(failure?.message).toContain('after 200 output tokens before the first word, most likely by reasoning');
  });
});
