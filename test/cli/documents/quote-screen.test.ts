import { describe, expect, test } from 'vitest';
import { quoteLines } from '../../../src/cli/documents/quote-screen.ts';
import { painter } from '../../../src/cli/terminal/style.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';
import { type CanonicalText, positionOf } from '../../../src/domain/document.ts';
import type { Evidence, Finding } from '../../../src/domain/score.ts';
import { DANGEROUS, HOSTILE } from '../display/sample-events.ts';

const TEXT = `# Retry

The client waits. The server MUST retry within 20 ms, unless the request was refused by a policy that an operator has set for this peer, and MUST log it. Then it stops.
`;

function content(text: string): CanonicalText {
  return {
    ...{ format: 'markdown', extractor: 'md@1+norm:1', title: null, text, textSha256: 't', pages: [], blocks: [], lostPages: [] },
    ...{
      sections: [{ title: 'Retry', level: 1, start: 0, end: text.length }],
      lines: { start: [0, 8, 9], number: [1, 2, 3] },
      warnings: [],
    },
  };
}

function at(words: string): { readonly start: number; readonly end: number } {
  const start = TEXT.indexOf(words);
  return { start, end: start + words.length };
}

function found(words: string, change: Partial<Evidence> = {}): Finding {
  const { start, end } = at(words);
  const evidence: Evidence = {
    ...{ status: 'verified', tier: 'normalised', reason: null, diff: null, occurrences: 1 },
    position: positionOf(content(TEXT), start, end),
    text: words,
    ...change,
  };
  return { at: '', quote: words, evidence, pageClaimed: null, pageCorrected: false };
}

function shown(finding: Finding, columns: number, colour = false): string[] {
  return quoteLines({ name: 'a.md', content: content(TEXT), finding }, { columns, paint: painter(colour) });
}

describe('the screen of quote', () => {
  test("has the verdict first, then the place, the quote and the document's words in what stands around them", () => {
    expect(shown(found('The server MUST retry within 20 ms', { occurrences: 2 }), 100)).toEqual([
      'VERIFIED  normalised · a.md',
      '  place      § Retry, line 3 · characters 27–61 · the best of 2 places',
      '  quote      "The server MUST retry within 20 ms"',
      '  document   # Retry The client waits. «The server MUST retry within 20 ms», unless the request was',
      '             refused by a policy that an operator has set for this peer, and MUST log it. Then it',
      '             stops.',
    ]);
  });

  test('shows what differs, and where the parts of a shortened quote stand', () => {
    const altered = found('within 20 ms', { status: 'rejected', tier: null, reason: 'altered', diff: '20 → 30' });
    expect(shown({ ...altered, quote: 'within 30 ms', pageClaimed: 4, pageCorrected: true }, 200)).toEqual([
      'REJECTED  altered · a.md',
      '  nearest    § Retry, line 3 · characters 49–61',
      '  quote      "within 30 ms"',
      expect.stringContaining('retry «within 20 ms», unless'),
      '  difference 20 → 30   (document → quote)',
      '  note       page 4 was named, but this document has no pages',
    ]);
    const spans = [at('The server'), at('MUST log it')];
    const elided = found('The server', { status: 'elided', tier: null, spans, context: 'the gap' });
    const lines = shown(elided, 400);
    expect(lines[0]).toBe('ELIDED  parts left out · a.md');
    expect(lines[3]).toMatch(/«The server» MUST retry .*«MUST log it»/);
    expect(lines.join('\n')).not.toContain('the gap');
  });

  test('says that a person decides on what is near, and where a page was named wrongly', () => {
    const near = found('within 20 ms', { status: 'near', tier: null, diff: 'withn → within' });
    expect(shown(near, 200)[0]).toBe('NEAR  near, but not the same: a person must decide · a.md');
    const pages = Array.from({ length: 2 }, (_, index) => ({ number: index + 1, label: null, start: index * 10, end: index * 10 + 200 }));
    const paged = { ...content(TEXT), pages };
    const evidence = { ...near.evidence, position: positionOf(paged, 49, 61) };
    const finding = { ...near, evidence, pageClaimed: 99, pageCorrected: true };
    const lines = quoteLines({ name: 'a.md', content: paged, finding }, { columns: 200, paint: painter(false) });
    expect(lines.slice(-2)).toEqual(['  note       page corrected: 99 → 2', '  note       this document has 2 pages']);
  });

  test.each([60, 100, 200])('fits %d columns, whatever the words', (columns) => {
    const words = 'The server MUST retry within 20 ms';
    const wide = {
      ...found(words, { diff: '长'.repeat(90), context: 'x'.repeat(250), marks: ['negated_lead_in'] }),
      quote: '长'.repeat(300),
    };
    for (const line of shown(wide, columns, true)) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
  });

  test('is the same without colour as with it, but for the colour', () => {
    const finding = found('within 20 ms');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colour codes
    expect(shown(finding, 100, true).map((line) => line.replace(/\u001b\[\d+m/g, ''))).toEqual(shown(finding, 100));
  });

  test('hostile words command no terminal and no build log', () => {
    const text = `${HOSTILE} ::error::a ${HOSTILE} words ${HOSTILE}`;
    const start = text.indexOf('words');
    const evidence: Evidence = {
      ...{ status: 'near', tier: null, reason: null, diff: HOSTILE, occurrences: 1, text: HOSTILE, context: HOSTILE, source: HOSTILE },
      position: { page: 1, pageLabel: HOSTILE, section: HOSTILE, line: 1, start, end: start + 5 },
    };
    const finding = { ...found('within'), quote: HOSTILE, evidence };
    for (const columns of [30, 80, Number.POSITIVE_INFINITY]) {
      for (const line of quoteLines({ name: HOSTILE, content: content(text), finding }, { columns, paint: painter(false) })) {
        expect(line).not.toMatch(DANGEROUS);
        expect(line).not.toMatch(/^\s*::[\w-]+(?: .*)?::|##\w*\[/);
      }
    }
  });
});
