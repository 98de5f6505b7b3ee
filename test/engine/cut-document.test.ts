import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { createTokenCounter } from '../../src/documents/token-count.ts';
import { sha256Hex } from '../../src/domain/canonical-json.ts';
import type { CanonicalText } from '../../src/domain/document.ts';
import { createCutter } from '../../src/engine/cut-document.ts';
import { SCRIPTS } from '../documents/scripts.ts';
import { TEXTS } from '../documents/texts.ts';

const rows = (count: number, row: (index: number) => string): string => Array.from({ length: count }, (_, index) => row(index)).join('');

const PROSE = 'The receiver shall acknowledge every frame that it accepts, and it shall count the frames that it has to drop.\n\n';
const CONTENTS = rows(150, (index) => `  ${index}.${index % 7}.  Retry timers${'.'.repeat(20 + (index % 30))} ${index + 3}\n`);
const DRAWING = rows(
  40,
  () =>
    '   +-+-+-+-+-+-+-+-+-+-+-+-+-+\n   |V=4|  IHL  |  TOS |  Len  |\n   +-+-+-+-+-+-+-+-+-+-+-+-+-+\n       <---- x ---->  |  \\/  |\n\n',
);
const TABLE = rows(
  120,
  (index) => `| 0x${(index * 4097).toString(16)} | R${index} | ${(index * 0.37).toFixed(3)} | rw | 0b${index.toString(2)} |\n`,
);
const MATHS = rows(80, (index) => `∀x∈ℝ ∃y: x²+y²≤${index} ⇒ ∑ᵢ aᵢ·bᵢ ≠ ∅ ∧ ∂f⁄∂x ≥ √${index}.\n\n`);
const DENSE = {
  contents: CONTENTS,
  drawings: DRAWING,
  tables: TABLE,
  mathematics: MATHS,
  base64: TEXTS.base64 ?? '',
  json: TEXTS.json ?? '',
};
const scripts = Object.values(SCRIPTS).map((text) => `${text.repeat(6)}\n\n`);

const DOCUMENTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(DENSE).map(([kind, text]) => [`${kind} within prose`, `${PROSE.repeat(100)}${text}${PROSE.repeat(100)}`]),
  ),
  ...Object.fromEntries(Object.entries(DENSE).map(([kind, text]) => [`little but ${kind}`, `${PROSE.repeat(5)}${text}`.slice(0, 12_000)])),
  'all scripts': scripts.join(PROSE),
  'prose alone': PROSE.repeat(100),
};

describe.each(Object.entries(DOCUMENTS))('a document with %s', (_, text) => {
  test.each([200, 500, 2000])('has no part much longer than %d tokens', async (maxTokens) => {
    const head = { format: 'text', extractor: 'text@1', title: null, text, textSha256: sha256Hex(text) } as const;
    const content: CanonicalText = {
      ...head,
      pages: [],
      sections: [],
      lines: { start: [0], number: [1] },
      blocks: [],
      lostPages: [],
      warnings: [],
    };
    const parts = createCutter({ documentId: 'a.txt', content, tokens: await createTokenCounter()(text) })({
      by: 'tokens',
      maxTokens,
      overlap: 50,
    });
    for (const { part, tokens } of parts) {
      const counted = o200k(text.slice(part.start, part.end));
      expect(counted).toBeLessThanOrEqual(maxTokens * 1.03 + 3);
      expect(tokens.tokens).toBeGreaterThanOrEqual(counted * 0.96 - 4);
      expect(tokens.maxTokens).toBeGreaterThanOrEqual(counted);
    }
    expect(parts.length).toBeLessThan(2 + (1.6 * o200k(text)) / (maxTokens - 50));
  });
});
