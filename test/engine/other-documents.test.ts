import { describe, expect, test } from 'vitest';
import type { Score } from '../../src/domain/score.ts';
import { findElsewhere, lostQuotes } from '../../src/engine/other-documents.ts';
import { PoolTimeout } from '../../src/engine/pool.ts';
import { seek } from '../../src/engine/pool-worker.ts';
import { canonicalText } from '../evidence/canonical.ts';
import { document } from '../store/rows.ts';

const LADDER = 'Every ladder must be inspected before the shift begins.';
const LAMP = 'The lamp above the door is green while the door is open.';

/** Documents by id, in order; `asked` collects what was read. */
function run(texts: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const contents = new Map(Object.entries(texts).map(([id, text]) => [id, canonicalText(text)]));
  const store = {
    documents: async () => [...contents].map(([id, { textSha256 }]) => ({ ...document(id), content: { ok: true, textSha256 } as const })),
    canonicalText: async (_: string, id: string) => {
      asked.push(id);
      return contents.get(id) ?? null;
    },
  };
  return {
    asked,
    others: { store, pool: { seek: async (input: Parameters<typeof seek>[0]) => seek(input) }, runId: 'r', documentId: 'own.md' },
  };
}

describe('quotes that are not in their own document', () => {
  test('are found in the first other one that has them, and no more is read than needed', async () => {
    const { asked, others } = run({ 'own.md': 'Own words.', 'a.md': LAMP, 'b.md': `${LAMP}\n${LADDER}`, 'c.md': LADDER });
    expect(await findElsewhere([LADDER, LAMP], others)).toEqual({ [LAMP]: 'a.md', [LADDER]: 'b.md' });
    expect(asked).toEqual(['a.md', 'b.md']);
  });

  test('are not looked for in the own text under another name, nor twice in the same', async () => {
    const { asked, others } = run({ 'own.md': 'Own words.', 'twin.md': 'Own words.', 'a.md': LAMP, 'same.md': LAMP });
    expect(await findElsewhere([LADDER], others)).toEqual({});
    expect(asked).toEqual(['a.md']);
  });

  test('are looked for in so many documents and characters only', async () => {
    const many = run(Object.fromEntries([['own.md', 'x'], ...Array.from({ length: 250 }, (_, i) => [`${i}.md`, `text ${i}`])]));
    expect(await findElsewhere([LADDER], many.others)).toEqual({});
    expect(many.asked).toHaveLength(200);
    const long = run({ 'own.md': 'x', 'a.md': 'a '.repeat(8_000_000), 'b.md': 'b '.repeat(8_000_000), 'c.md': LADDER });
    expect(await findElsewhere([LADDER], long.others)).toEqual({});
    expect(long.asked).toEqual(['a.md', 'b.md']);
  });

  test('stay unfound where the search takes too long', async () => {
    const { others } = run({ 'own.md': 'x', 'a.md': LADDER });
    const pool = { seek: () => Promise.reject(new PoolTimeout(1)) };
    expect(await findElsewhere([LADDER], { ...others, pool })).toEqual({});
  });
});

test('only quotes that stand nowhere and are long enough are looked for, each once', () => {
  const finding = (quote: string, reason: 'not_found' | 'altered') => {
    const evidence = { status: 'rejected', tier: null, reason, diff: null, occurrences: 0, position: null, text: null } as const;
    return { at: '/q', quote, evidence, pageClaimed: null, pageCorrected: false };
  };
  const findings = [
    finding(LADDER, 'not_found'),
    finding(LADDER, 'not_found'),
    finding(LAMP, 'altered'),
    finding('Too short to know.', 'not_found'),
  ];
  const score: Score = { check: 'q', type: 'evidence', verdict: 'fail', severity: 'must', value: 0, explanation: '', findings };
  expect(lostQuotes([score])).toEqual([LADDER]);
});
