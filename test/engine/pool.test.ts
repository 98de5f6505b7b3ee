import { afterEach, describe, expect, test } from 'vitest';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { CheckSpec } from '../../src/domain/manifest/resolved.ts';
import { createPool, type Pool, PoolTimeout } from '../../src/engine/pool.ts';

/** Built code: threads cannot run TypeScript. */
const WORKER = new URL('../../dist/engine/pool-worker.js', import.meta.url);
/** Long enough for a new thread on a loaded machine: what is ended here would run for years. */
const LIMITS = { extract: 20_000, parse: 20_000, judge: 4000 };

let pool: Pool | undefined;
afterEach(async () => pool?.close());

function opened(): Pool {
  pool = createPool(WORKER, LIMITS);
  return pool;
}

async function documentOf(text: string, threads: Pool): Promise<CanonicalText> {
  const extraction = await threads.extract({
    bytes: new TextEncoder().encode(text),
    name: 'a.md',
    format: null,
    charset: null,
    password: null,
  });
  if (!extraction.ok) throw new Error(extraction.message);
  return extraction.content;
}

function regex(pattern: string): CheckSpec {
  return { id: 'regex', type: 'regex', at: '', severity: 'must', pattern, flags: '' };
}

describe('the pool', () => {
  test('extracts, parses and judges in threads', async () => {
    const threads = opened();
    const document = await documentOf('# Title\n\nThe device shall answer.\n', threads);
    expect(document).toMatchObject({ format: 'markdown', title: 'Title' });
    const parsed = await threads.parse({ content: '{"a": 1}', form: { format: 'json', schema: null }, finishReason: 'stop' });
    expect(parsed).toEqual({ ok: true, answer: { a: 1 }, repaired: false });
    const [score] = await threads.judge({ answer: 'abc', document, checks: [regex('^a')] });
    expect(score).toMatchObject({ verdict: 'pass' });
  });

  test('a pattern that backtracks for ever is ended, and the next task works', async () => {
    const threads = opened();
    const document = await documentOf('Text.\n', threads);
    const hostile = threads.judge({ answer: `${'a'.repeat(40)}!`, document, checks: [regex('^(a+)+$')] });
    await expect(hostile).rejects.toBeInstanceOf(PoolTimeout);
    const [score] = await threads.judge({ answer: 'a', document, checks: [regex('^a')] });
    expect(score).toMatchObject({ verdict: 'pass' });
  });

  test('a task that waits behind hostile ones is not charged for the wait', async () => {
    const threads = opened();
    const document = await documentOf('Text.\n', threads);
    const judge = (answer: string, pattern: string): Promise<unknown> => threads.judge({ answer, document, checks: [regex(pattern)] });
    const hostile = Array.from({ length: threads.size }, () => judge(`${'a'.repeat(40)}!`, '^(a+)+$'));
    const honest = judge('a', '^a');
    const ends = await Promise.allSettled([...hostile, honest]);
    expect(ends.map(({ status }) => status)).toEqual([...hostile.map(() => 'rejected'), 'fulfilled']);
  });
});
