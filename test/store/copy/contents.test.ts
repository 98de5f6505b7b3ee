import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { Checksum } from '../../../src/store/copy/checksum.ts';
import { type CopiedRow, storableJson } from '../../../src/store/copy/copied-row.ts';
import { copyStore } from '../../../src/store/copy/copy-store.ts';
import { rowsThatFit } from '../../../src/store/copy/side.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { Bench, Clock } from '../bench.ts';
import { TestSchemas } from '../postgres/open-store.ts';
import { canonicalText, document, job, newRun } from '../rows.ts';
import { openTempStore, options } from '../sqlite/open-store.ts';
import { side } from './side.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

/** Any text of JavaScript's, also NUL and halves of pairs of surrogates. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units));
/** A text as extraction leaves it: well-formed. */
const wellFormed = fc.string({ unit: 'binary', maxLength: 60 });

test('whatever stands in texts, names and answers, a copy on a server and one back hold the same', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(wellFormed, anyText, anyText, async (text, words, key) => {
      const clock = new Clock();
      const opened = await openTempStore(clock.read);
      const bench = new Bench(opened.store, clock);
      const content = { ok: true, ...contentOf(text) } as const;
      await opened.store.openRun(newRun('r1', { name: words, manifestPath: key }));
      await opened.store.addDocuments('r1', [
        document('a.md'),
        document('b.md'),
        { ...document('c.md'), path: words, tags: [words], content },
      ]);
      await opened.store.addJobs('r1', [job('j1', 0)]);
      await opened.store.markPlanned('r1');
      await bench.store.registerWorker({ ...WORKER, workerId: 'w1' });
      const claim = await bench.claimed('r1');
      await bench.answer(claim, { [key]: words, nested: [[words], -0, 1e300, 0.1] });
      await opened.store.removeWorker('w1');
      await opened.store.close();

      const server = await schemas.open(clock.read);
      const back = join(opened.folder, 'back.db');
      const up = await copyStore({ from: opened.path, to: server.location, options: side(clock.read) });
      const down = await copyStore({ from: server.location, to: back, options: side(clock.read) });
      for (const { tables } of [up, down]) expect(tables.filter(({ same }) => !same)).toEqual([]);
      const store = await openSqliteStore(options(back, clock.read));
      expect((await store.canonicalText('r1', 'c.md'))?.text).toBe(text);
      expect((await server.store.canonicalText('r1', 'c.md'))?.text).toBe(text);
      await store.close();
      await server.dispose();
      opened.db.close();
      rmSync(opened.folder, { recursive: true });
    }),
    { numRuns: 15 },
  );
});

const WORKER = { runId: null, hostId: 'boot-1', hostname: 'here', pid: 1, version: '1' };

function contentOf(text: string) {
  const canonical = canonicalText(text);
  return { textSha256: canonical.textSha256, text: canonical };
}

describe('a checksum', () => {
  const table = { name: 't', key: ['a'], columns: { a: 'text', b: 'integer', c: 'value', d: 'bytes', e: 'order' } } as const;
  const sum = (rows: readonly CopiedRow[]) => {
    const checksum = new Checksum(table);
    for (const row of rows) checksum.add(row);
    return checksum.value();
  };
  const one: CopiedRow = ['x', 1n, '{"p":1,"q":2}', Buffer.from('text'), 1n];
  const two: CopiedRow = ['y', null, 'null', null, 2n];

  test('is the same in any order, for any spelling of a value, and wherever a row stands', () => {
    expect(sum([two, one])).toEqual(sum([one, two]));
    expect(sum([['x', 1n, '{ "q": 2, "p": 1.0 }', Buffer.from('text'), 7n]])).toEqual(sum([one]));
  });

  test.each<[string, CopiedRow]>([
    ['a text', ['xx', 1n, '{"p":1,"q":2}', Buffer.from('text'), 1n]],
    ['an integer beyond what a number holds', ['x', 9007199254740993n, '{"p":1,"q":2}', Buffer.from('text'), 1n]],
    ['a missing value', ['x', null, '{"p":1,"q":2}', Buffer.from('text'), 1n]],
    ['a value', ['x', 1n, '{"p":1,"q":3}', Buffer.from('text'), 1n]],
    ['a byte', ['x', 1n, '{"p":1,"q":2}', Buffer.from('tex '), 1n]],
  ])('is another when %s differs', (_, row) => {
    expect(sum([row])).not.toEqual(sum([one]));
  });

  test('is another when rows are there twice, and tells neighbouring values apart', () => {
    expect(sum([one, one])).not.toEqual(sum([one]));
    expect(sum([['9007199254740992', 1n, 'null', null, 1n]])).not.toEqual(sum([['900719925474099', 21n, 'null', null, 1n]]));
    expect(sum([['x', 9007199254740992n, 'null', null, 1n]])).not.toEqual(sum([['x', 9007199254740993n, 'null', null, 1n]]));
  });
});

test('a value keeps backslashes as they are, and loses only what no server takes', () => {
  expect(storableJson(JSON.stringify({ a: '\\u0000 \\\\ud800', b: 'x\0y\ud800z' }))).toBe(
    JSON.stringify({ a: '\\u0000 \\\\ud800', b: 'x\uFFFDy\uFFFDz' }),
  );
});

test('a page holds as many rows as fit, and one at least', () => {
  expect(rowsThatFit([1, 2, 3])).toBe(3);
  expect(rowsThatFit([100_000_000, 1])).toBe(1);
  expect(rowsThatFit([3_000_000, 1_000_000, 3_000_000, 1])).toBe(2);
  expect(rowsThatFit([])).toBe(0);
});
