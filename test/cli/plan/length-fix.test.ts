import { expect, test } from 'vitest';
import { lengthFix } from '../../../src/cli/plan/length-fix.ts';
import type { ResolvedModel, ResolvedProvider, ResolvedTask } from '../../../src/domain/manifest/resolved.ts';
import { reduceTooLong } from '../../../src/engine/length-limit.ts';
import { MANIFEST } from '../sample-run.ts';

const MODEL: ResolvedModel = {
  ...{ id: 'small', provider: 'lab', model: 'm', group: null, params: {}, price: null, contextTokens: null },
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};

const PROVIDER: ResolvedProvider = {
  ...{ id: 'lab', type: 'openai', baseUrl: 'http://lab/v1', apiKeyEnv: null, identity: null, stream: true, headers: {} },
  ...{ concurrency: 4, requestsPerMinute: null, tokensPerMinute: null, tokenAccounting: 'reserved', cassette: null, latencyMs: 0 },
};

const TASK = { ...MANIFEST.tasks.claims, id: 'claims' } as ResolvedTask;
const CHUNK = { by: 'section', maxTokens: null, overlap: 200, context: true, when: 'needed' } as const;
const MERGE = { array: ['/claims'], dedupe: 'evidence', reduce: 'Sum up: {{answers}}' } as const;
const TASKS = {
  claims: TASK,
  cut: { ...TASK, id: 'cut', chunk: CHUNK },
  told: { ...TASK, id: 'told', chunk: CHUNK, merge: MERGE },
  joined: { ...TASK, id: 'joined', chunk: CHUNK, merge: { ...MERGE, reduce: 'Sum up: {{merged}}' } },
};

function fix(contextTokens: number | null, tokensPerMinute: number | null, ...asking: readonly string[]): string {
  return fixOf({ contextTokens, tokensPerMinute }, asking.length === 0 ? ['cut'] : asking, 'about 9 tokens, more than 5');
}

function fixOf(
  { contextTokens, tokensPerMinute }: { contextTokens: number | null; tokensPerMinute: number | null },
  asking: readonly string[],
  message: string,
): string {
  const lab: ResolvedProvider = { ...PROVIDER, tokensPerMinute };
  const jobs = asking.map((task) => ({ task, message }));
  return lengthFix({ models: { small: { ...MODEL, contextTokens } }, providers: { lab }, tasks: TASKS }, 'small', jobs);
}

test.each([
  [null, 100, 'raise providers.lab.limits.tokensPerMinute or lower models.small.params.maxOutputTokens'],
  [4096, null, 'raise models.small.contextTokens or lower models.small.params.maxOutputTokens'],
  [4096, 100, 'raise models.small.contextTokens or providers.lab.limits.tokensPerMinute or lower models.small.params.maxOutputTokens'],
  [null, null, 'shorten the document or lower models.small.params.maxOutputTokens'],
])('what is too long for a context of %s and %s tokens a minute: %3$s', (contextTokens, tokensPerMinute, text) => {
  expect(fix(contextTokens, tokensPerMinute)).toBe(text);
});

test('a task that does not cut documents yet may do so', () => {
  const raise = 'raise models.small.contextTokens or lower models.small.params.maxOutputTokens';
  expect(fix(4096, null, 'claims', 'cut', 'claims')).toBe(`${raise}, or set tasks.claims.chunk so that it is asked in parts`);
  expect(fix(4096, null, 'cut')).toBe(raise);
});

test('the answers to parts get shorter in the prompt that is told them, not by a change that asks all parts anew', () => {
  const { message } = reduceTooLong({ reason: 'input_too_long', message: 'about 9 tokens, more than 5' });
  const open = { contextTokens: null, tokensPerMinute: null };
  expect(fixOf(open, ['told', 'told'], message)).toBe('shorten tasks.told.merge.reduce ({{merged}} in the place of {{answers}})');
  expect(fixOf({ ...open, contextTokens: 100 }, ['joined'], message)).toBe(
    'raise models.small.contextTokens or shorten tasks.joined.merge.reduce',
  );
});
