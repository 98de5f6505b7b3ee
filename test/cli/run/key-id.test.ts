import { expect, test } from 'vitest';
import { keyIdOf } from '../../../src/cli/run/key-id.ts';
import type { ResolvedProvider } from '../../../src/domain/manifest/resolved.ts';

const provider = (apiKeyEnv: string | null): ResolvedProvider => ({
  id: 'lab',
  type: 'openai',
  baseUrl: 'http://127.0.0.1:8000/v1',
  apiKeyEnv,
  identity: null,
  stream: true,
  headers: {},
  concurrency: 4,
  requestsPerMinute: null,
  tokensPerMinute: null,
  tokenAccounting: 'reserved',
  cassette: null,
  latencyMs: 0,
});

test.each([
  ['the beginning of its hash, which gives nothing away', 'LAB_KEY', { LAB_KEY: 'abc' }, 'ba7816bf8f01cfea'],
  ['the same under another name', 'OTHER', { OTHER: 'abc' }, 'ba7816bf8f01cfea'],
  ['the name of its variable where it is not set', 'LAB_KEY', {}, 'LAB_KEY'],
  ['the name of its variable where it is empty', 'LAB_KEY', { LAB_KEY: '' }, 'LAB_KEY'],
  ['nothing where none is sent', null, { LAB_KEY: 'abc' }, null],
])('a key is known by %s', (_, variable, env, expected) => {
  expect(keyIdOf(env)(provider(variable))).toBe(expected);
});
