import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { ExtractInput } from '../../src/documents/extract-input.ts';
import { countTokens } from '../../src/documents/token-count.ts';
import { estimateCount, NO_TOKENS } from '../../src/documents/tokens.ts';
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
  const { extraction } = await threads.extract(file('a.md', text));
  if (!extraction.ok) throw new Error(extraction.message);
  return extraction.content;
}

function file(name: string, text: string): ExtractInput {
  return { bytes: new TextEncoder().encode(text), name, format: null, charset: null, password: null };
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

  test('a document comes with the tokens of its text, the same in every thread', async () => {
    const threads = opened();
    const short = 'The device shall answer.';
    const long = Array.from({ length: 2000 }, (_, line) => `Requirement ${line}: the device shall answer.`).join('\n');
    const counted = await Promise.all([short, long, long, ''].map((text) => threads.extract(file('a.txt', text))));
    const tokens = counted.map((each) => each.tokens);
    expect(tokens[0]).toEqual(estimateCount(short));
    expect(tokens[1]?.tokens).toBe(await countTokens(long));
    expect(tokens.slice(2)).toEqual([tokens[1], NO_TOKENS]);
  });

  test('a text that is slow to count does not hold up the main loop', async () => {
    const threads = opened();
    // Words of 200 letters that no vocabulary has: more than 1 µs a letter.
    const letters = createHash('shake256', { outputLength: 500_000 }).update('slow').digest('hex').replace(/[0-9]/g, 'q');
    const hostile = (letters.match(/.{200}/g) ?? []).join(' ');
    const gaps = longestGap();
    const startedMs = performance.now();
    const { tokens } = await threads.extract(file('a.txt', hostile));
    const tookMs = performance.now() - startedMs;
    expect(tokens.tokens).toBeGreaterThan(300_000);
    expect(gaps.end()).toBeLessThan(tookMs / 2);
  });
});

/** Longest time in which a timer that is due every 2 ms had no turn. */
function longestGap(): { readonly end: () => number } {
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last), now];
  }, 2);
  return {
    end: () => {
      clearInterval(timer);
      return Math.max(longest, performance.now() - last);
    },
  };
}
