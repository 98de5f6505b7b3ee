import { describe, expect, test } from 'vitest';
import { countTokens } from '../../src/documents/token-count.ts';
import { estimateTokens } from '../../src/documents/tokens.ts';
import type { Usage } from '../../src/domain/money.ts';
import { inputFailure, type SentInput } from '../../src/engine/input-check.ts';
import { TEXTS } from '../documents/texts.ts';

function usage(parts: Partial<Usage>): Usage {
  return { uncachedInput: 0, cacheRead: 0, cacheWrite: 0, output: 300, reasoning: 0, ...parts };
}

function checked(counted: Partial<Usage> | null, sent: Partial<SentInput>) {
  const full: SentInput = { inputTokens: 30_000, characters: 120_000, providerType: 'openai', ...sent };
  return inputFailure({ usage: counted === null ? null : usage(counted), requestId: 'r-1' }, full);
}

describe('an answer to a prompt that the server cut', () => {
  test.each([
    [2050, 30_000],
    [4096, 6200],
    [2048, 3000],
    [4096, 100_000],
  ])('is a failure when the server read %d of %d tokens', (read, inputTokens) => {
    expect(checked({ uncachedInput: read }, { inputTokens, characters: inputTokens * 4 })).toEqual({
      class: 'permanent',
      reason: 'input_truncated',
      message:
        `the server read ${read} tokens of a prompt of about ${inputTokens}: it cut the rest without a word; ` +
        'give it a larger context (Ollama: OLLAMA_CONTEXT_LENGTH) and state it as contextTokens of the model',
      requestId: 'r-1',
    });
  });

  test('is a failure whatever the kind of text', () => {
    for (const text of Object.values(TEXTS)) {
      const long = text.repeat(Math.ceil(60_000 / text.length));
      expect(checked({ uncachedInput: 2050 }, { inputTokens: estimateTokens(long), characters: long.length })?.reason).toBe(
        'input_truncated',
      );
    }
  });
});

describe('an answer is let pass', () => {
  test.each<[string, Partial<Usage> | null, Partial<SentInput>]>([
    ['when the server does not say what it read', null, {}],
    ['when the server says it read nothing, as of a cached prompt', { uncachedInput: 0 }, {}],
    ['when most was read from a cache', { uncachedInput: 500, cacheRead: 20_000, cacheWrite: 9500 }, {}],
    ['when the prompt is short', { uncachedInput: 90 }, { inputTokens: 280, characters: 1100 }],
    ['when it was recorded', { uncachedInput: 2050 }, { providerType: 'replay' }],
    ['when it was invented', { uncachedInput: 2050 }, { providerType: 'simulated' }],
  ])('%s', (_, counted, sent) => {
    expect(checked(counted, sent)).toBeNull();
  });

  test.each(Object.entries(TEXTS))('when the server counts %s otherwise than we do', async (_, text) => {
    const long = text.repeat(Math.ceil(60_000 / text.length));
    const [exact, characters] = [await countTokens(long), long.length];
    const digits = long.replace(/\D/g, '').length;
    const servers = { sameTokenizer: exact, quarterBetter: exact * 0.75, characterCount: characters / 4, digitByDigit: exact + digits / 2 };
    for (const uncachedInput of Object.values(servers).map(Math.floor)) {
      for (const inputTokens of [exact, estimateTokens(long)]) expect(checked({ uncachedInput }, { inputTokens, characters })).toBeNull();
    }
  });
});
