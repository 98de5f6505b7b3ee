import { describe, expect, test } from 'vitest';
import { evidenceSentence, quoteNotes, searchedPhrase, verdictOnQuote } from '../../src/report/evidence-phrases.ts';
import { summaryMarkdown } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summarize.ts';
import { summaryText } from '../../src/report/text.ts';
import { absence, finding, header, line, score } from './sample.ts';

const same = (text: string): string => text;

describe('the evidence of a run, in words', () => {
  const elided = finding({ status: 'elided', tier: null });
  const unseen = finding({ seen: false });
  const corrected = { ...finding(), pageClaimed: 4, pageCorrected: true, lineClaimed: 12, lineCorrected: true };
  const other = finding({ status: 'rejected', tier: null, reason: 'from_other_document', source: 'b.md', position: null, text: null });
  const findings = [finding({ seen: true }), elided, unseen, corrected, other];
  const absences = [absence(), absence({ at: '/limits/1/quote', whole: false }), absence({ at: '/limits/2/quote' })];

  test('elided, unseen, corrected and absent are counted apart', () => {
    const summary = summarize(header(), [line({ verdict: 'review', scores: [score({ verdict: 'review', findings, absences })] })]);
    expect(evidenceSentence(summary)).toBe(
      '5 quotes checked: 3 verified (3 verbatim), 1 with parts left out, 1 rejected (1 taken from another document). ' +
        '1 quote stands where no prompt has shown it. 1 page and 1 line that the answers named are corrected. ' +
        '3 claims that the document does not say something: shown with what was searched, all of the document for 2 of them.',
    );
  });

  test('claims of absence alone are a sentence too, and no pass without a finding', () => {
    const summary = summarize(header(), [line({ scores: [score({ findings: [], absences: [absence()] })] })]);
    expect(evidenceSentence(summary)).toBe(
      '1 claim that the document does not say something: shown with what was searched, all of the document each time.',
    );
    expect(summary.passedWithoutFinding).toBe(0);
  });

  test('a quote says what else is to be known of it', () => {
    expect(quoteNotes(corrected, same)).toEqual(['page 4 was named, but this document has no pages', 'line corrected: 12 → 88']);
    const position = { page: 7, pageLabel: '5', section: null, line: 88, start: 0, end: 9 };
    expect(quoteNotes({ ...corrected, evidence: { ...corrected.evidence, position } }, same)).toEqual([
      'page corrected: 4 → 7',
      'line corrected: 12 → 88',
    ]);
    expect(quoteNotes({ ...finding(), pageClaimed: 4 }, same)).toEqual(['page 4 was named, but this document has no pages']);
    expect(quoteNotes(other, same)).toEqual(['it stands in b.md']);
    expect(quoteNotes(finding({ status: 'elided', context: 'a […] b' }), same)).toEqual(['left out: a […] b']);
    expect(quoteNotes(finding({ marks: ['negated_lead_in'], context: 'It shall not:' }), same)).toEqual([
      'an item below a negation',
      'lead-in: It shall not:',
    ]);
    expect(verdictOnQuote(unseen)).toBe('verified, but that place was in no prompt');
  });

  test.each([
    ['NOT be empty, but', 'be empty, but …', 'left out before it: NOT'],
    ['“Not all hart contexts need', 'hart contexts need', 'left out before it: “Not all'],
    ['The device retries **not**', 'The device retries', 'left out after it: **not**'],
    ['The device retries', 'The device retries', undefined],
  ])('of the clipped %j the quote %j says: %s', (text, quote, note) => {
    const clipped = finding({ status: 'rejected', tier: null, reason: 'clipped', text }, quote);
    expect(quoteNotes(clipped, same)).toEqual(note === undefined ? [] : [note]);
  });

  test('a cut quote is shown beside the place where the document goes on', () => {
    const evidence = { status: 'rejected', tier: null, reason: 'cut', text: 'Spider, the', context: '…using Sun-|Spider, the…' } as const;
    const cut = finding(evidence, 'Spider, the');
    const summary = summarize(header(), [line({ verdict: 'fail', scores: [score({ verdict: 'fail', findings: [cut] })] })]);
    expect(quoteNotes(cut, same)).toEqual([]);
    expect(summaryText(summary)).toContain('          quoted:   Spider, the\n          document: …using Sun-|Spider, the…\n');
    expect(summaryMarkdown(summary)).toContain('        - document: `…using Sun-|Spider, the…`\n');
  });

  test('an absence says what was searched', () => {
    expect(searchedPhrase(absence(), same)).toBe('the whole document, 2 sections: Scope, Retry');
    const many = Array.from({ length: 7 }, (_, i) => `S${i}`);
    expect(searchedPhrase(absence({ whole: false, searched: many, sections: { seen: 7, of: 9 } }), same)).toBe(
      'not all of the document, 7 of 9 sections: S0, S1, S2, S3, S4, …',
    );
    expect(searchedPhrase(absence({ searched: [], sections: { seen: 0, of: 0 } }), same)).toBe('the whole document');
  });

  test('what a person must decide is shown with it: unseen quotes, absences with what was searched', () => {
    const review = line({ verdict: 'review', scores: [score({ verdict: 'review', findings, absences })] });
    const summary = summarize(header(), [review]);
    expect(summary.reviews.kept[0]?.checks[0]?.findings.kept.map(({ evidence: { status } }) => status)).toEqual([
      'rejected',
      'verified',
      'elided',
    ]);
    const markdown = summaryMarkdown(summary);
    expect(markdown).toContain('      - taken from another document (it stands in `b.md`)\n');
    expect(markdown).toContain('      - line 88: verified, but that place was in no prompt\n');
    expect(markdown).toContain(
      '      - `/limits/0/quote`: the answer says that the document does not say it; searched: the whole document, 2 sections: `Scope`, `Retry`\n',
    );
    expect(markdown).toContain('      - 1 more claim that the document does not say something\n');
    expect(summaryText(summary)).toContain(
      '        said not to be in the document (/limits/0/quote); searched: the whole document, 2 sections: Scope, Retry\n',
    );
  });
});
