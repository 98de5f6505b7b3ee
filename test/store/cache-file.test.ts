import { expect, test } from 'vitest';
import { canonicalJson, sha256Hex } from '../../src/domain/canonical-json.ts';
import { type CacheLine, entryLine, headerLine, readCacheLine } from '../../src/store/cache-file.ts';
import type { CacheEntry } from '../../src/store/cache-store.ts';
import { completion } from './rows.ts';

const keyRecord = { model: 'qwen', endpoint: 'http://127.0.0.1:8000/v1', version: 1 };

const ENTRY: CacheEntry = {
  key: sha256Hex(canonicalJson(keyRecord)),
  keyRecord,
  callToken: 'call-1',
  stepKind: 'answer',
  completion: completion('{"findings":[]} ##[error] \u2028 \ud800'),
  answer: { findings: [] },
  repaired: true,
  recordedAtMs: 1,
  storedAtMs: 2,
  origin: { runId: 'r-8kq2aaaa', jobId: 'j3f9', costNanoUsd: null },
};

function changed(changes: object): CacheLine {
  return readCacheLine(JSON.stringify({ ...JSON.parse(entryLine(ENTRY)), ...changes }));
}

test('an entry is read back as it was, from one line that commands no build log', () => {
  const line = entryLine(ENTRY);
  expect(line.match(/\n/g)).toHaveLength(1);
  expect(line).not.toContain('##[');
  expect(readCacheLine(line)).toEqual({ kind: 'entry', entry: { v: 1, ...ENTRY } });
});

test('a body keeps the order in which it was sent, and a later version its own fields', () => {
  const body = { z: 1, a: { y: 2, b: 3 } };
  const read = changed({ later: true, completion: { ...ENTRY.completion, wireBody: body, later: 1 } });
  expect(read.kind === 'entry' && JSON.stringify(read.entry.completion.wireBody)).toBe(JSON.stringify(body));
  expect(read).toMatchObject({ kind: 'entry', entry: { later: true, completion: { later: 1 } } });
});

test('the order of the parts of a key does not matter, what they are does', () => {
  const { version, ...rest } = keyRecord;
  expect(changed({ keyRecord: { version, ...rest } }).kind).toBe('entry');
  expect(changed({ keyRecord: { ...rest, version: 2 } })).toEqual({ kind: 'fault', problem: 'the key is not the hash of "keyRecord"' });
});

test('a line that is no entry says why', () => {
  expect(readCacheLine(headerLine())).toEqual({ kind: 'header' });
  expect(readCacheLine('{"v":3,"kind":"aieval-cache","more":1}')).toMatchObject({
    kind: 'fault',
    problem: expect.stringContaining('newer'),
  });
  expect(readCacheLine('{"v":1')).toEqual({ kind: 'fault', problem: 'not JSON' });
  for (const [changes, where] of [
    [{ v: 2 }, 'v:'],
    [{ key: 'K' }, 'key: expected 64 hexadecimal digits'],
    [{ answer: undefined }, 'answer: missing'],
    [{ callToken: 'a\u001b[31m' }, 'callToken: expected a name'],
    [{ origin: { runId: '../..', jobId: 'j', costNanoUsd: 1 } }, 'origin.runId:'],
    [{ origin: { runId: 'r', jobId: 'j', costNanoUsd: -1 } }, 'origin.costNanoUsd:'],
    [{ storedAtMs: 9e15 }, 'storedAtMs:'],
    [{ stepKind: 'finish' }, 'stepKind:'],
    [{ completion: { ...ENTRY.completion, usage: { output: 1 } } }, 'completion.usage.uncachedInput:'],
  ] as const) {
    expect(changed(changes)).toMatchObject({ kind: 'fault', problem: expect.stringContaining(where) });
  }
  for (const text of ['null', '[]', '"x"', '1']) expect(readCacheLine(text).kind).toBe('fault');
});

test('a line that is nested to overflow the stack is refused, not a crash', () => {
  const deep = (levels: number, value = '1') => `${'['.repeat(levels)}${value}${']'.repeat(levels)}`;
  const problem = expect.stringContaining('nested more than 1000 levels deep');
  for (const levels of [1001, 100_000]) {
    expect(readCacheLine(deep(levels))).toEqual({ kind: 'fault', problem });
    expect(readCacheLine(`{"v":1,"a":${deep(levels, '{"b":1}')}}`)).toEqual({ kind: 'fault', problem });
  }
  // What stands in a string is no nesting.
  expect(changed({ completion: completion('[{"\\'.repeat(100_000)) }).kind).toBe('entry');
  const wireBody = JSON.parse(deep(900));
  expect(changed({ completion: { ...ENTRY.completion, wireBody } }).kind).toBe('entry');
});
