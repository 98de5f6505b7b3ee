import { expect, test } from 'vitest';
import { lengthFix } from '../../src/cli/length-fix.ts';
import type { ResolvedModel, ResolvedProvider } from '../../src/domain/manifest/resolved.ts';

const MODEL: ResolvedModel = {
  ...{ id: 'small', provider: 'lab', model: 'm', group: null, params: {}, price: null, contextTokens: null },
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};

const PROVIDER: ResolvedProvider = {
  ...{ id: 'lab', type: 'openai', baseUrl: 'http://lab/v1', apiKeyEnv: null, identity: null, stream: true, headers: {} },
  ...{ concurrency: 4, requestsPerMinute: null, tokensPerMinute: null, tokenAccounting: 'reserved', cassette: null, latencyMs: 0 },
};

function fix(contextTokens: number | null, tokensPerMinute: number | null): string {
  const lab: ResolvedProvider = { ...PROVIDER, tokensPerMinute };
  return lengthFix({ models: { small: { ...MODEL, contextTokens } }, providers: { lab } }, 'small');
}

test.each([
  [null, 100, 'raise providers.lab.limits.tokensPerMinute or lower models.small.params.maxOutputTokens'],
  [4096, null, 'raise models.small.contextTokens or lower models.small.params.maxOutputTokens'],
  [4096, 100, 'raise models.small.contextTokens or providers.lab.limits.tokensPerMinute or lower models.small.params.maxOutputTokens'],
  [null, null, 'shorten the document or lower models.small.params.maxOutputTokens'],
])('what is too long for a context of %s and %s tokens a minute: %3$s', (contextTokens, tokensPerMinute, text) => {
  expect(fix(contextTokens, tokensPerMinute)).toBe(text);
});
