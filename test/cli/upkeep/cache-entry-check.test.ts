import { expect, test } from 'vitest';
import { parseAnswer } from '../../../src/checks/parse-answer.ts';
import { createEntryCheck } from '../../../src/cli/upkeep/cache-entry-check.ts';
import type { Json } from '../../../src/domain/canonical-json.ts';
import { PoolTimeout } from '../../../src/engine/pool.ts';
import type { CacheEntry } from '../../../src/store/cache-store.ts';
import { completion } from '../../store/rows.ts';

const NOW_MS = Date.UTC(2026, 10, 29);
const DAY_MS = 86_400_000;

const SCHEMA = { type: 'object', required: ['findings'], properties: { findings: { type: 'array' } } };
const outputOf = (output: Json): Json => ({ model: 'qwen', output });

const ENTRY: CacheEntry = {
  key: 'k',
  keyRecord: outputOf({ format: 'json', schema: SCHEMA, strict: true, reask: 1 }),
  callToken: 'call-1',
  stepKind: 'answer',
  completion: completion('{"findings":[{"quote":"a"}]}'),
  answer: { findings: [{ quote: 'a' }] },
  repaired: false,
  recordedAtMs: NOW_MS,
  storedAtMs: NOW_MS,
  origin: { runId: 'r', jobId: 'j', costNanoUsd: null },
};

// The pool's threads run exactly this.
const POOL: Parameters<typeof createEntryCheck>[0] = {
  parse: async ({ content, form, finishReason }) => parseAnswer(content, form, finishReason),
};

function check(changes: Partial<CacheEntry>, pool = POOL): Promise<string | null> {
  return createEntryCheck(pool, () => NOW_MS)({ ...ENTRY, ...changes });
}

test('an answer that is what the completion says, valid by its schema, is believed', async () => {
  expect(await check({})).toBeNull();
  expect(
    await check({ answer: { findings: [{ quote: 'a' }] }, completion: completion('```json\n{"findings":[{"quote":"a"}]}\n```') }),
  ).toBeNull();
  expect(await check({ repaired: true, completion: completion('{"findings":[{"quote":"a"}],}') })).toBeNull();
  expect(await check({ keyRecord: outputOf({ format: 'json', schema: null }) })).toBeNull();
  expect(await check({ keyRecord: outputOf({ format: 'text', schema: null }), completion: completion(' yes '), answer: 'yes' })).toBeNull();
  // Clocks differ.
  expect(await check({ storedAtMs: NOW_MS + DAY_MS })).toBeNull();
});

test('one that cannot be is refused, with the reason', async () => {
  for (const [changes, problem] of [
    [{ answer: { findings: [] } }, 'the answer is not what "completion.content" says'],
    [{ answer: null }, 'the answer is not what "completion.content" says'],
    [{ repaired: true }, 'the answer is not what "completion.content" says'],
    [{ completion: completion('{"findings":1}'), answer: { findings: 1 } }, 'the answer is not valid: /findings'],
    [{ completion: completion('null'), answer: null }, 'the answer is not valid: '],
    [{ completion: completion('no JSON') }, 'the answer is not valid: the answer is not JSON'],
    [{ completion: { ...ENTRY.completion, refusal: 'I will not' } }, 'refused'],
    [{ completion: { ...ENTRY.completion, finishReason: 'length' } }, ''],
    [{ keyRecord: { model: 'qwen' } }, 'keyRecord.output: does not say what an answer must be'],
    [{ keyRecord: outputOf({ format: 'json', schema: { type: 'nothing' } }) }, 'keyRecord.output.schema: '],
    [{ storedAtMs: NOW_MS + DAY_MS + 1 }, 'storedAtMs: in the future (2026-11-30T00:00:00.001Z)'],
    [{ recordedAtMs: 8.64e15 }, 'recordedAtMs: in the future (+275760-09-13T00:00:00.000Z)'],
  ] as const satisfies readonly (readonly [Partial<CacheEntry>, string])[]) {
    expect(await check(changes)).toEqual(expect.stringContaining(problem));
  }
});

test('a schema whose pattern never ends costs its time limit and its entry', async () => {
  const endless = { parse: () => Promise.reject(new PoolTimeout(20_000)) };
  expect(await check({}, endless)).toBe('keyRecord.output.schema: gave up after 20 s');
});
