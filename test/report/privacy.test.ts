import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EvidencePrivacy } from '../../src/domain/manifest/resolved.ts';
import { summaryCommands } from '../../src/report/github.ts';
import { summaryJson } from '../../src/report/json.ts';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { shownHeader, shownLine } from '../../src/report/privacy.ts';
import { summarize } from '../../src/report/summarize.ts';
import { summaryText } from '../../src/report/text.ts';
import { hostileRun } from './hostile-run.ts';
import { failed, finding, header, line, score } from './sample.ts';

const FORMATS = { md: summaryMarkdown, txt: summaryText, json: summaryJson, github: summaryCommands };

function everyFormat(word: string, privacy: EvidencePrivacy): readonly (readonly [string, string])[] {
  const { header: told, lines } = hostileRun(word, 'plain');
  const summary = summarize({ ...told, privacy }, lines);
  return Object.entries(FORMATS).map(([format, render]) => [format, render(summary)] as const);
}

/** Words that nothing of ours could hold, whole sentences among them. */
const WORDS = fc
  .tuple(fc.constantFrom('zq', 'Zq zq ', 'zq1 → zq'), fc.string({ unit: fc.constantFrom(...'zqxj'), minLength: 6, maxLength: 12 }))
  .map((parts) => parts.join(''));

describe('with privacy.evidence "none"', () => {
  test('no word of a document, a model or a server is in any format', () => {
    fc.assert(
      fc.property(WORDS, (word) => {
        for (const [, text] of everyFormat(word, 'none')) expect(text).not.toMatch(/zq/i);
      }),
      { numRuns: 20 },
    );
  });

  test('nor is what stands beside a quote in a line', () => {
    const told = line({ scores: [score({ findings: [{ ...finding(), beside: { zq: 'zq' } }] })] });
    expect(JSON.stringify(shownLine(told, { privacy: 'none' }))).not.toMatch(/zq|beside/);
    expect(shownLine(told, { privacy: 'quote' })).toEqual(told);
  });

  test('which every format shows otherwise', () => {
    for (const [format, text] of everyFormat('zqxjzq', 'quote')) expect([format, text.includes('zqxjzq')]).toEqual([format, true]);
  });

  test('ids, counts, reasons, checks and places stay', () => {
    const summary = summarize({ ...header(), privacy: 'none' }, [failed({ document: 'b.md' })]);
    const text = summaryMarkdown(summary);
    expect(text).toContain('1. `b.md` · `claims` / `fast` · [`aieval show j3f9abcd`]');
    expect(text).toContain(
      '- `evidence` — `3 quotes: 1 verified, 2 rejected`\n      - page 3, line 14: altered\n      - not in the document\n',
    );
    expect(text).toContain('    - `count`\n');
    expect(text).toContain('3 quotes checked: 1 verified (1 verbatim), 2 rejected (1 altered, 1 not in the document).');
    expect(text).toContain('Text of documents and models is left out: the manifest asks for it.');
  });

  test('a line and a header are as they were where the manifest does not ask for it', () => {
    const { header: told, lines } = hostileRun('word', 'plain');
    for (const privacy of [undefined, 'quote'] as const) {
      expect(shownHeader({ ...told, privacy })).toEqual({ ...told, privacy });
      expect(lines.map((line) => shownLine(line, { privacy }))).toEqual(lines);
    }
  });
});
