import type { ResolvedManifest } from '../../src/domain/manifest/resolved.ts';
import { MANIFEST } from '../store/rows.ts';

const TIMEOUTS = { connectMs: 20_000, firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
const ENDPOINT: ResolvedManifest['providers'][string] = {
  id: 'lab',
  identity: 'lab',
  type: 'openai',
  baseUrl: 'http://127.0.0.1:1/v1',
  apiKeyEnv: null,
  headers: {},
  stream: true,
  concurrency: 4,
  requestsPerMinute: null,
  tokensPerMinute: null,
  tokenAccounting: 'reserved',
  cassette: null,
  latencyMs: 0,
};
/** One model of one provider, and one task that asks it about a document. */
export const ASKING: ResolvedManifest = {
  ...MANIFEST,
  providers: { lab: ENDPOINT },
  models: {
    model: {
      id: 'model',
      provider: 'lab',
      model: 'qwen',
      group: null,
      params: {},
      price: 'free',
      contextTokens: null,
      structuredOutput: 'auto',
      timeouts: TIMEOUTS,
    },
  },
  tasks: {
    task: {
      id: 'task',
      prompt: '{{document}}',
      system: null,
      vars: {},
      output: { format: 'json', schema: { type: 'object' }, strict: false, reask: 1 },
      checks: [],
      documents: null,
      models: null,
      repeats: 1,
      aggregate: 'majority',
      priority: 0,
      chunk: null,
      merge: null,
    },
  },
};
