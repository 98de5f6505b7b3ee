import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createExtractor } from '../../src/documents/extract.ts';
import type { ExtractInput } from '../../src/documents/extract-input.ts';
import { countTokens } from '../../src/documents/token-count.ts';
import { estimateCount, NO_TOKENS } from '../../src/documents/tokens.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import type { CheckSpec } from '../../src/domain/manifest/resolved.ts';
import { createPool, type ParseTask, type Pool, PoolTimeout } from '../../src/engine/pool.ts';
import { wholeOf } from '../checks/checked.ts';
import { rawPdf, textLines } from '../documents/pdf/raw-pdf.ts';

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
    const [score] = await threads.judge({ ...wholeOf(document), answer: 'abc', checks: [regex('^a')] });
    expect(score).toMatchObject({ verdict: 'pass' });
  });

  test('joins the answers of parts and seeks quotes in threads', async () => {
    const threads = opened();
    const document = await documentOf('The device shall answer.\n', threads);
    const part = { start: 0, end: document.text.length };
    const parts = [1, 2].map((item) => ({ part, answer: { items: [item] } }));
    const rule = { array: ['/items'], dedupe: 'none', reduce: null } as const;
    const task = { document, parts, rule, checks: [], reduced: null, schema: { type: 'object' } };
    const joined = { items: [1, 2] };
    expect(await threads.merge(task)).toMatchObject({ merged: { answer: joined, differing: [] }, final: { ok: true, answer: joined } });
    expect(await threads.merge({ ...task, rule: { ...rule, reduce: '{{merged}}' } })).toMatchObject({ final: null });
    const quotes = ['The device shall answer.', 'The device should answer.'];
    expect(await threads.seek({ document, quotes })).toEqual(quotes.slice(0, 1));
  });

  test('a pattern that backtracks for ever is ended, and the next task works', async () => {
    const threads = opened();
    const document = await documentOf('Text.\n', threads);
    const hostile = threads.judge({ ...wholeOf(document), answer: `${'a'.repeat(40)}!`, checks: [regex('^(a+)+$')] });
    await expect(hostile).rejects.toBeInstanceOf(PoolTimeout);
    const [score] = await threads.judge({ ...wholeOf(document), answer: 'a', checks: [regex('^a')] });
    expect(score).toMatchObject({ verdict: 'pass' });
  });

  test('a task that waits behind hostile ones is not charged for the wait', async () => {
    const threads = opened();
    const document = await documentOf('Text.\n', threads);
    const judge = (answer: string, pattern: string): Promise<unknown> =>
      threads.judge({ ...wholeOf(document), answer, checks: [regex(pattern)] });
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

  test('a long PDF comes out of several threads as out of one', async () => {
    const threads = opened();
    const pages = Array.from({ length: 130 }, (_, page) => ({ content: textLines(['Timer', `Page ${page} counts.`, `Foot ${page}`]) }));
    const input = { ...file('long.pdf', ''), bytes: rawPdf({ pages }) };
    const alone = await createExtractor().extract(input);
    expect(alone).toMatchObject({ ok: true, content: { pages: { length: 130 } } });
    expect((await threads.extract(input)).extraction).toEqual(alone);
    // Where every thread has a document of its own.
    const batch = await Promise.all(Array.from({ length: threads.size + 1 }, () => threads.extract(input)));
    expect(batch.map(({ extraction }) => extraction)).toEqual(batch.map(() => alone));
  });

  test('the time limit of a long PDF ends all threads that read it, and the next task works', async () => {
    pool = createPool(WORKER, { ...LIMITS, extract: 1500 });
    const path = deflateSync(Buffer.alloc(40_000_000, '0 0 m\n'), { level: 1 }).toString('latin1');
    const slow = Array.from({ length: 128 }, () => ({ content: path, isDeflated: true }));
    const input = { ...file('slow.pdf', ''), bytes: rawPdf({ pages: slow }) };
    await expect(pool.extract(input)).rejects.toEqual(new PoolTimeout(1500));
    const task: ParseTask = { content: '{"a": 1}', form: { format: 'json', schema: null }, finishReason: 'stop' };
    const next = await Promise.all([task, task, task, task].map(pool.parse));
    expect(next).toEqual(next.map(() => ({ ok: true, answer: { a: 1 }, repaired: false })));
  });

  test.runIf(availableParallelism() > 1)('a range that fails ends the threads of the others, and the next task works', async () => {
    const worker = `
      import { threadId } from 'node:worker_threads';
      export function readPages({ range }) {
        if (range.end === 0) return { pageCount: 64, packed: new Uint8Array() };
        if (range.start > 0) throw new RangeError('range');
        for (;;);
      }
      // Ends when so many threads do it at the same time.
      export const parse = ({ content }) => new Promise((resolve) => {
        const [threads, channel] = [new Set([threadId]), new BroadcastChannel('threads')];
        channel.onmessage = ({ data }) => {
          if (!threads.has(data)) channel.postMessage(threadId);
          threads.add(data);
          if (threads.size < Number(content)) return;
          channel.close();
          resolve('parsed');
        };
        channel.postMessage(threadId);
      });
    `;
    const folder = await mkdtemp(join(tmpdir(), 'aieval-pool-'));
    await writeFile(join(folder, 'worker.mjs'), worker);
    pool = createPool(pathToFileURL(join(folder, 'worker.mjs')));
    const bytes = new Uint8Array(100_000);
    bytes.set(new TextEncoder().encode('%PDF-'));
    await expect(pool.extract({ ...file('long.pdf', ''), bytes })).rejects.toThrow('range');
    const task: ParseTask = { content: String(pool.size), form: { format: 'text' }, finishReason: 'stop' };
    const tasks = Array.from({ length: pool.size }, () => task);
    expect(await Promise.all(tasks.map(pool.parse))).toEqual(tasks.map(() => 'parsed'));
    await rm(folder, { recursive: true });
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
