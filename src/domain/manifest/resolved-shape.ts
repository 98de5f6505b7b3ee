import type { ModelParams } from '../completion.ts';
import { isPrice } from '../price-shape.ts';
import {
  dictionaryOf,
  type Is,
  isCount,
  isFlag,
  isJson,
  isNumber,
  isText,
  listOf,
  objectOf,
  oneOf,
  optional,
  orNull,
  textLike,
} from '../shape.ts';
import { TAG } from '../tags.ts';
import { isCheck } from './checks-shape.ts';
import { ENV_NAME, HEADER_NAME, ID } from './name-forms.ts';
import type {
  ChunkRule,
  DocumentEntry,
  MatrixRule,
  MergeRule,
  ResolvedBudget,
  ResolvedManifest,
  ResolvedModel,
  ResolvedProvider,
  ResolvedTask,
} from './resolved.ts';

/*
 * What a manifest must be that a store gives back, so that nothing that works by it meets what it does not know: another version wrote it,
 * or somebody else. Names are as the manifest's own schema has them, because messages and requests are made of them.
 */

const ANY_NAME = /^/;

const isId = textLike(ID);
const isEnvName = textLike(ENV_NAME);

const isDocumentEntry: Is<DocumentEntry> = objectOf<DocumentEntry>({
  include: isText,
  literal: isFlag,
  exclude: listOf(isText),
  id: orNull(isText),
  tags: listOf(isText),
  passwordEnv: orNull(isText),
  format: orNull(isText),
  charset: orNull(isText),
  optional: isFlag,
});

const isProvider: Is<ResolvedProvider> = objectOf<ResolvedProvider>({
  id: isId,
  type: oneOf('openai', 'replay', 'simulated'),
  baseUrl: orNull(isText),
  apiKeyEnv: orNull(isEnvName),
  identity: orNull(isText),
  stream: isFlag,
  headers: dictionaryOf(HEADER_NAME, isEnvName),
  concurrency: isCount,
  requestsPerMinute: orNull(isCount),
  tokensPerMinute: orNull(isCount),
  tokenAccounting: oneOf('reserved', 'actual'),
  cassette: orNull(objectOf({ path: isText, sha256: isText })),
  latencyMs: isCount,
});

/** Whoever makes it must know where it is. */
const isWholeProvider: Is<ResolvedProvider> = (value, trail): value is ResolvedProvider => {
  if (!isProvider(value, trail)) return false;
  const missing = value.type === 'openai' && value.baseUrl === null ? 'baseUrl' : null;
  const place = missing ?? (value.type === 'replay' && value.cassette === null ? 'cassette' : null);
  if (place !== null) trail.unshift(place);
  return place === null;
};

const isModel: Is<ResolvedModel> = objectOf<ResolvedModel>({
  id: isId,
  provider: isId,
  model: isText,
  group: orNull(isText),
  params: dictionaryOf(ANY_NAME, isJson) satisfies Is<ModelParams>,
  price: isPrice,
  contextTokens: orNull(isCount),
  structuredOutput: oneOf('auto', 'json_schema', 'json_object', 'prompt'),
  timeouts: objectOf({ connectMs: isNumber, firstTokenMs: isNumber, idleMs: isNumber, totalMs: isNumber }),
});

const isChunkRule: Is<ChunkRule> = objectOf<ChunkRule>({
  by: oneOf('section', 'tokens'),
  maxTokens: orNull(isCount),
  overlap: isCount,
  context: isFlag,
  when: oneOf('needed', 'always'),
});

const isMergeRule: Is<MergeRule> = objectOf<MergeRule>({
  array: listOf(isText),
  dedupe: oneOf('evidence', 'none'),
  reduce: orNull(isText),
});

const isTask: Is<ResolvedTask> = objectOf<ResolvedTask>({
  id: isId,
  prompt: isText,
  system: orNull(isText),
  vars: dictionaryOf(ANY_NAME, isJson),
  output: objectOf({ format: oneOf('json', 'text'), schema: isJson, strict: isFlag, reask: isCount }),
  checks: listOf(isCheck),
  documents: orNull(listOf(isText)),
  models: orNull(listOf(isText)),
  repeats: isCount,
  aggregate: oneOf('majority', 'all', 'any'),
  priority: isNumber,
  requires: optional(listOf(textLike(TAG))),
  chunk: orNull(isChunkRule),
  merge: orNull(isMergeRule),
});

const isMatrixRule: Is<MatrixRule> = objectOf<MatrixRule>({ document: orNull(isText), task: orNull(isText), model: orNull(isText) });

const isBudget: Is<ResolvedBudget> = objectOf<ResolvedBudget>({
  usd: orNull(isNumber),
  ofStart: optional(oneOf(true)),
  tokens: orNull(isNumber),
  minutes: orNull(isNumber),
  warnAt: isNumber,
  group: orNull(objectOf({ name: isText, usd: isNumber, per: oneOf('month', 'total') })),
});

const isManifest: Is<ResolvedManifest> = objectOf<ResolvedManifest>({
  version: oneOf(1),
  name: isText,
  documents: listOf(isDocumentEntry),
  providers: dictionaryOf(ID, isWholeProvider),
  models: dictionaryOf(ID, isModel),
  tasks: dictionaryOf(ID, isTask),
  matrix: objectOf({ exclude: listOf(isMatrixRule), only: listOf(isMatrixRule) }),
  concurrency: isCount,
  runConcurrency: orNull(isCount),
  retry: objectOf({ attempts: isCount, lostLeases: isCount, maxWaitMs: isNumber }),
  lease: objectOf({ ttlMs: isNumber, beatMs: isNumber, deadlineMs: isNumber }),
  cache: objectOf({
    mode: oneOf('read-write', 'read', 'refresh', 'off'),
    ttlDays: orNull(isNumber),
    namespace: orNull(isText),
  }),
  gate: objectOf({ minPassRate: isNumber, maxErrorRate: isNumber }),
  budget: orNull(isBudget),
  sample: orNull(objectOf({ fraction: isNumber, seed: isNumber })),
  failFast: orNull(objectOf({ afterFailures: isCount })),
  artifacts: oneOf('all', 'paid', 'failures'),
  outputs: listOf(oneOf('junit', 'csv', 'sarif', 'html', 'badge')),
  privacy: objectOf({ evidence: oneOf('quote', 'none') }),
  maxJobs: isCount,
  maxQueueDepth: orNull(isCount),
});

/** Whether a stored value is a manifest of this version, whose models all have their provider. */
export const isResolvedManifest: Is<ResolvedManifest> = (value, trail): value is ResolvedManifest => {
  if (!isManifest(value, trail)) return false;
  const { models, providers } = value;
  const stray = Object.entries(models).find(([, { provider }]) => providers[provider] === undefined);
  if (stray !== undefined) trail.unshift('models', stray[0], 'provider');
  return stray === undefined;
};
