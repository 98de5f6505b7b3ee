import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../src/domain/score.ts';
import { createEvidenceIndex, type EvidenceIndex } from '../../src/evidence/evidence-index.ts';
import { createPromptText } from '../../src/evidence/prompt-text.ts';
import { verifyQuote } from '../../src/evidence/verify-quote.ts';
import { canonicalPages, canonicalText } from './canonical.ts';

/** A hardware specification: long lines, numbers with a part that looks whole, a negation at the start of a sentence. */
const RELAY = createEvidenceIndex(
  canonicalPages([
    'The relay block\n\nIt forwards the many sluice events onto the outer sluice lines of the lock keeper.',
    [
      'The following rules',
      'hold for every station.',
      '',
      'The relay serves up-to 2047 sluices (0 is reserved)',
      'and 31744 keepers, but the actual number of sluices and keepers depends on the station. However, the station must adhere to',
      'the offset of each gauge within the relay map. The spacing of each gauge is fixed at 8 bytes.',
    ].join('\n'),
    [
      'Not all keeper posts need be sluice targets, in particular, if a keeper does not delegate its sluices to lower-privilege posts,',
      'then the lower posts are no targets. A relay that supports delegating outer sluices to lower-privilege posts, as described',
      'above, has one target per post.',
    ].join('\n'),
  ]),
);

/** A paper about vats that stain each other: numbers with a unit glued on, a curly apostrophe, a heading in capitals. */
const VATS = createEvidenceIndex(
  canonicalPages([
    [
      'STAINING CLOTH IN VATS WITHOUT TOUCHING THEM',
      'We find stains in most vat houses (120 out of 134) that dyed cloth between spring and autumn. We',
      'identify the cause of the stains as the repeated tilting of a vat’s lid, which shakes the vats beside it.',
      'Our test shows that it takes as few as 148K tilts to',
      'induce a stain, and that up to one in every 1.9K threads is stained. We expect that many running houses are likely to be at risk.',
    ].join('\n'),
  ]),
);

/** A two-column paper: hyphens at line ends, which the canonical text keeps. */
const LOOMS = createEvidenceIndex(
  canonicalPages([
    'Abstract\nAutomatic looms such as the Jacquard are more difficult to com-\npile for than hand\nlooms whose patterns are fixed.',
  ]),
);

/** A protocol, pages joined: keywords in capitals, a lead-in far above. */
const LANTERN = createEvidenceIndex(
  canonicalText(
    [
      'This note describes a protocol for carrying greetings, goodbyes and weather between a lantern and a shared harbour office.',
      'An office that satisfies all the must, must not, should and should not rules of its harbour is said to be "wholly lit"; one that',
      'satisfies all the must and must not rules but not all the should rules is "partly lit".',
      'A lantern MUST NOT treat a harbour welcome as a harbour refusal instead.',
      'The token MUST NOT be empty (length 0) since this would allow every boat to be taken for a friend.',
      'Lanterns are lit. '.repeat(900),
      'The officially assigned berth number of the lantern is 1907. A harbour office may move it.',
      'The seal of a greeting MUST NOT be empty in winter.',
    ].join('\n'),
    'rfc',
  ),
);

/** A PDF page whose font maps a ligature to another character. */
const GLYPHS = createEvidenceIndex(
  canonicalPages([
    'Many layouts cause dispute. In our guide they introduce di!culties in marking, and a su"cient number of pages was re-read.',
  ]),
);

const PROMPT = 'Check the claim that the harbour office counts every lantern twice a night before it opens the gate.';

function verify(index: EvidenceIndex, quote: string): Evidence {
  return verifyQuote(index, quote, { minChars: 3, promptText: createPromptText(PROMPT) });
}

describe('cases of quotes', () => {
  test.each<[number, string, EvidenceIndex, string, Partial<Evidence>]>([
    [1, 'word for word', RELAY, 'relay serves up-to 2047 sluices (0 is reserved)', { status: 'verified', tier: 'verbatim' }],
    [
      2,
      'over a hyphen at a line end, with a ligature',
      LOOMS,
      'Automatic looms such as the Jacquard are more diﬃcult to compile for than hand looms whose patterns are fixed.',
      { status: 'verified', tier: 'normalised' },
    ],
    [
      3,
      'with a straight apostrophe',
      VATS,
      "We identify the cause of the stains as the repeated tilting of a vat's lid, which shakes the vats beside it.",
      { status: 'verified', tier: 'normalised' },
    ],
    [
      4,
      'over line ends, with negations of its own',
      LANTERN,
      'satisfies all the must, must not, should and should not rules of its harbour is said to be "wholly lit"; one that satisfies',
      { status: 'verified', tier: 'normalised' },
    ],
    [5, 'a changed digit', VATS, 'stains in most vat houses (121 out of 134)', { reason: 'altered', diff: '120 → 121' }],
    [
      6,
      'a dropped NOT',
      LANTERN,
      'The token MUST be empty (length 0) since this would allow',
      { reason: 'altered', diff: 'MUST NOT → MUST' },
    ],
    [
      7,
      'an added NOT',
      VATS,
      'We expect that many running houses are likely not to be at risk.',
      { status: 'rejected', reason: 'altered', diff: 'likely → likely not' },
    ],
    [
      8,
      'a weaker modal',
      LANTERN,
      'A lantern SHOULD NOT treat a harbour welcome as a harbour refusal instead.',
      { reason: 'altered', diff: 'MUST → SHOULD' },
    ],
    [
      9,
      'the case of a keyword',
      LANTERN,
      'A lantern must not treat a harbour welcome as a harbour refusal instead.',
      { reason: 'altered', diff: 'MUST NOT → must not' },
    ],
    [10, 'over two lines', RELAY, 'up-to 2047 sluices (0 is reserved) and 31744 keepers', { status: 'verified', tier: 'normalised' }],
    [11, 'the first digits of a number', RELAY, 'relay serves up-to 204', { reason: 'cut' }],
    [12, 'the last digits of a number', RELAY, '1744 keepers, but the actual number of sluices', { reason: 'cut' }],
    [
      13,
      'an honest ellipsis',
      RELAY,
      'relay serves up-to 2047 sluices (0 is reserved) and 31744 keepers ... the station must adhere to the offset of each gauge',
      { status: 'elided', tier: null, reason: null },
    ],
    [
      14,
      'an ellipsis over most of the document',
      LANTERN,
      'This note describes a protocol for carrying greetings ... The seal of a greeting MUST NOT be empty',
      { status: 'rejected', reason: 'stitched' },
    ],
    [
      15,
      'parts in another order',
      RELAY,
      'the station must adhere to the offset of each gauge ... relay serves up-to 2047 sluices (0 is reserved)',
      { status: 'rejected', reason: 'stitched' },
    ],
    [16, 'an ellipsis that hides NOT', LANTERN, 'The token MUST ... be empty (length 0)', { reason: 'altered', diff: 'NOT → …' }],
    [17, 'another unit', VATS, 'few as 148M tilts to induce a stain', { reason: 'altered', diff: '148K → 148M' }],
    [
      18,
      'other words',
      RELAY,
      'It forwards the different sluice events onto the outer sluice lines of the lock keeper',
      { status: 'rejected', reason: 'altered', diff: 'many → different' },
    ],
    [
      18,
      'other words that bind nothing',
      LANTERN,
      'a protocol for carrying greetings, farewells and weather between a lantern and a shared harbour office',
      { status: 'rejected', reason: 'reworded', diff: 'goodbyes → farewells' },
    ],
    [19, 'an invention', LANTERN, 'Fishing boats shall compress their cargo lists with brine', { reason: 'not_found', position: null }],
    [
      20,
      'words of the question',
      LANTERN,
      'the harbour office counts every lantern twice a night',
      { status: 'rejected', reason: 'from_prompt', position: null },
    ],
    [21, 'a full stop of its own', RELAY, 'relay serves up-to 2047 sluices (0 is reserved).', { status: 'verified', tier: 'punct' }],
    [
      22,
      'in quotation marks',
      LANTERN,
      '“The token MUST NOT be empty (length 0) since this would allow”',
      { status: 'verified', tier: 'verbatim' },
    ],
    [
      23,
      'a slip of the pen',
      VATS,
      'that many running houss are likely to be at risk',
      { status: 'near', reason: null, tier: null, diff: 'houses → houss' },
    ],
    [24, 'other spaces', LANTERN, 'The token MUST\u00a0NOT be\u200b empty (length\u202f0)', { status: 'verified', tier: 'normalised' }],
    [25, 'a lost decimal point', VATS, 'up to one in every 19K threads', { reason: 'altered', diff: '1.9K → 19K' }],
    [
      26,
      'another prefix',
      RELAY,
      'delegating outer sluices to lower-unprivilege posts, as described above',
      { status: 'rejected', reason: 'reworded' },
    ],
    [27, 'begun behind the negation', RELAY, 'all keeper posts need be sluice targets, in particular', { reason: 'clipped' }],
    [
      28,
      'glued without an ellipsis',
      LANTERN,
      'The officially assigned berth number of the lantern is 1907. The token MUST NOT be empty',
      { status: 'rejected', reason: 'stitched' },
    ],
    [29, 'a heading in small letters', VATS, 'Staining cloth in vats without touching them', { status: 'verified', tier: 'case' }],
    [
      30,
      'a ligature that the font spells wrongly',
      GLYPHS,
      'they introduce difficulties in marking',
      { status: 'verified', tier: 'ligature' },
    ],
  ])('%i: %s', (_, _what, index, quote, expected) => {
    expect(verify(index, quote)).toMatchObject(expected);
  });

  test('1: the place is page and line', () => {
    expect(verify(RELAY, 'relay serves up-to 2047 sluices (0 is reserved)').position).toMatchObject({ page: 2, line: 4 });
  });

  test('13: what is left out is shown, and where the parts stand', () => {
    const evidence = verify(RELAY, 'and 31744 keepers ... the station must adhere to the offset of each gauge');
    expect(evidence.context).toBe(', but the actual number of sluices and keepers depends on the station. However,');
    expect(evidence.text).toBe('and 31744 keepers […] the station must adhere to\nthe offset of each gauge');
    const { text } = RELAY.content;
    expect(evidence.spans?.map(({ start, end }) => text.slice(start, end))).toEqual([
      'and 31744 keepers',
      'the station must adhere to\nthe offset of each gauge',
    ]);
    expect(evidence.position).toMatchObject({ start: text.indexOf('and 31744'), end: text.indexOf(' within the relay map') });
  });

  test('14, 28: the places of glued parts are shown', () => {
    const evidence = verify(LANTERN, 'The officially assigned berth number of the lantern is 1907. The token MUST NOT be empty');
    expect(evidence.spans?.map(({ start, end }) => LANTERN.content.text.slice(start, end))).toEqual([
      'The officially assigned berth number of the lantern is 1907.',
      'The token MUST NOT be empty',
    ]);
  });

  test('30: the document’s own spelling is kept, in every word', () => {
    expect(verify(GLYPHS, 'introduce difficulties in marking, and a sufficient number of pages').text).toBe(
      'introduce di!culties in marking, and a su"cient number of pages',
    );
  });

  test.each([
    ['a digit is changed beside it', 'they introduce 2 difficulties in marking'],
    ['the letters are no ligature', 'they introduce dippiculties in marking'],
    ['the word is another', 'they introduce difficulty in marking'],
  ])('30: a ligature is not repaired where %s', (_, quote) => {
    expect(verify(GLYPHS, quote).status).not.toBe('verified');
  });

  test('30: nor outside of PDF', () => {
    expect(verify(createEvidenceIndex(canonicalText(GLYPHS.content.text)), 'they introduce difficulties in marking').status).toBe(
      'rejected',
    );
  });
});
