import { describe, expect, test } from 'vitest';
import type { DocumentFormat } from '../../src/domain/document.ts';
import type { Evidence } from '../../src/domain/score.ts';
import { createEvidenceIndex } from '../../src/evidence/evidence-index.ts';
import { isOnLine } from '../../src/evidence/place/place.ts';
import { createPromptText } from '../../src/evidence/prompt-text.ts';
import { type VerifyOptions, verifyQuote } from '../../src/evidence/verify-quote.ts';
import { canonicalPages, canonicalText } from './canonical.ts';

type Options = Partial<VerifyOptions>;

function judge(document: string, quote: string, format: DocumentFormat = 'text', options: Options = {}): Evidence {
  return verifyQuote(createEvidenceIndex(canonicalText(document, format)), quote, { minChars: 3, ...options });
}

const verified = (evidence: Evidence) => expect(evidence).toMatchObject({ status: 'verified' });

describe('1: a hyphen with a space behind it matches itself and the compound', () => {
  const document = 'We used non- human primates in an as- yet unpublished trial of pre- and post-operative care over 5- and 10-year spans.';

  test.each([
    'used non- human primates',
    'used non-human primates',
    'an as- yet unpublished trial',
    'an as-yet unpublished trial',
    'trial of pre- and post-operative care',
    'of pre- and post- operative care',
    'over 5- and 10-year spans',
    'over 5- and 10- year spans',
    'We used non- human primates in an as-yet unpublished trial of pre- and post-operative care',
  ])('%s', (quote) => verified(judge(document, quote)));

  test('and the other way round', () => {
    verified(judge('We used non-human primates.', 'used non- human primates'));
  });

  test.each(['used human primates', 'used nonhuman as- yet primates'])('but not %s', (quote) => {
    expect(judge(document, quote).status).toBe('rejected');
  });
});

describe('2: a quote that ends, or begins, at the glue of a layout is marked', () => {
  test.each<[DocumentFormat, string, string]>([
    ['pdf', 'The drop was small (P < 0.01).Table 2 shows it', 'The drop was small (P < 0.01).'],
    ['pdf', 'The drop was small (P < 0.01).Table 2 shows it', 'Table 2 shows it'],
    ['text', 'This held for most of them (6.1%)a and rarely else', 'This held for most of them (6.1%)'],
    ['text', 'This held for most of them (6.1)a and rarely else', 'This held for most of them (6.1)'],
    ['text', 'as can be seen (Figure 4).Figure 4 Rates of growth', 'as can be seen (Figure 4).'],
    ['pdf', 'had the effect12 of a reset', 'had the effect'],
    ['pdf', '12The results agree well', 'The results agree well'],
  ])('%s: %s', (format, document, quote) => {
    expect(judge(document, quote, format)).toMatchObject({ status: 'verified', marks: ['boundary'] });
  });

  test.each([
    ['a sentence', 'It ends here. Then it goes on.', 'It ends here.'],
    ['a clause', 'It ends here, then it goes on (so we hope).', 'It ends here'],
    ['a bracket', 'It ends here, then it goes on (so we hope).', 'so we hope'],
  ])('but not one that ends with %s', (_, document, quote) => {
    expect(judge(document, quote)).not.toHaveProperty('marks');
  });

  test.each([
    [
      'check out e.',
      'For an example of using approach (1) check out e.g. the tool of the library.',
      'For an example of using approach (1) check out e.',
    ],
    [
      'check out e',
      'For an example of using approach (1) check out e.g. the tool of the library.',
      'For an example of using approach (1) check out e',
    ],
    ['g. the tool', 'For an example check out e.g. the tool of the library.', 'g. the tool of the library.'],
    ['the U.S.', 'It is made in the U.S.A. by three firms of that name.', 'It is made in the U.S.'],
    ['by J.', 'The rule was first written down by J.R. Hartley in 1931.', 'The rule was first written down by J.'],
  ])('nor is it glue inside an abbreviation: %s', (_, document, quote) => {
    for (const format of ['text', 'pdf'] as const)
      expect(judge(document, quote, format)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each([
    ['the whole abbreviation', 'check out e.g. the tool of the library.', 'check out e.g.'],
    ['without its last full stop', 'check out e.g. the tool of the library.', 'check out e.g'],
    ['behind it', 'check out e.g. the tool of the library.', 'the tool of the library.'],
    ['a glued sentence behind a letter', 'It is shown in appendix A.The rest is left out.', 'It is shown in appendix A.'],
    ['initials with spaces', 'It was written by J. R. Hartley in 1931.', 'It was written by J.'],
  ])('but %s is verified', (_, document, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'verified' });
  });

  const LONG =
    'The committee of the harbour has decided after a long and careful hearing of all parties that the lanterns along the northern quay are ' +
    'lit from dusk to dawn, that their keepers are paid by the office of works, and that 1023 candles are kept in the storehouse.';

  test('a long quote may be cut inside a word by a limit of its length', () => {
    expect(judge(LONG, LONG.slice(0, LONG.indexOf('keepers') + 4))).toMatchObject({ status: 'verified', marks: ['boundary'] });
  });

  test.each([
    ['a short one', LONG.slice(0, LONG.indexOf('careful') + 4)],
    ['one that ends inside a number', LONG.slice(0, LONG.indexOf('1023') + 3)],
    ['one that begins inside a word', LONG.slice(6)],
  ])('but not %s', (_, quote) => {
    expect(judge(LONG, quote)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test('nor one that ends before the rest of a negation', () => {
    expect(judge(`${LONG.slice(0, 240)} and they cannot be moved`, `${LONG.slice(0, 240)} and they can`)).toMatchObject({ reason: 'cut' });
  });
});

describe('3: an item under a negated lead-in is shown with it', () => {
  test.each<[string, string, string, string]>([
    [
      'a list',
      'The vendor shall not:\n\n- sell the list of members;\n- copy the list of members.\n',
      'copy the list of members',
      'The vendor shall not:',
    ],
    [
      'a list of letters',
      'Each party agrees. The receiving party must not:\n(a) disclose any secret to others;\n(b) keep copies of a secret.',
      '(b) keep copies of a secret.',
      'The receiving party must not:',
    ],
    [
      'a list whose items go on over lines',
      'None of the following is allowed:\n1. fishing from the northern quay\nbefore noon;\n2. mooring at the lamp posts.',
      'mooring at the lamp posts',
      'None of the following is allowed:',
    ],
    [
      'a line',
      'All is well. The receiver shall not: (a) disclose the code; (b) copy the code.',
      '(b) copy the code',
      'The receiver shall not:',
    ],
    [
      'a list inside another',
      'The vendor shall not:\n- do any of these:\n  - sell the list\n  - copy the list\n',
      'copy the list',
      'The vendor shall not:',
    ],
    ['a list without a colon', 'The vendor shall not\n(a) sell the list;\n(b) copy the list.', 'copy the list', 'The vendor shall not'],
    [
      'an exception',
      'All members may vote except:\n\n* guests of the club\n* members in arrears\n',
      'members in arrears',
      'All members may vote except:',
    ],
  ])('in %s', (_, document, quote, context) => {
    expect(judge(document, quote)).toMatchObject({ status: 'verified', marks: ['negated_lead_in'], context });
  });

  test.each([
    [
      'a lead-in that demands',
      'The vendor shall:\n\n- sell the list of members;\n- copy the list of members.\n',
      'copy the list of members',
    ],
    ['a list that has ended', 'The vendor shall not:\n\n- sell the list.\n\nThe buyer pays at once.\n\n- in coin\n', 'in coin'],
    ['text behind a list', 'The vendor shall not:\n\n- sell the list.\n\nThe buyer pays at once.', 'The buyer pays at once.'],
    ['a condition', 'If it does not answer, take these steps:\n- ring the bell\n- wait an hour', 'wait an hour'],
    ['a quote with its lead-in', 'The vendor shall not:\n- sell the list\n- copy it', 'The vendor shall not:\n- sell the list'],
  ])('but not %s', (_, document, quote) => {
    const evidence = judge(document, quote);
    verified(evidence);
    expect(evidence.marks).toBeUndefined();
  });

  test('in the same clause it is clipped', () => {
    expect(judge('The vendor shall not copy the list.', 'copy the list.')).toMatchObject({ reason: 'clipped' });
  });
});

describe('4: an entity is its character', () => {
  const document =
    'The keeper&rsquo;s log says &#8220;rain&#x201D; &ndash; and P &lt; 0.01 &plusmn; 5 &micro;m; write `&amp;` for an ampersand.';

  test.each([
    ['the characters', 'The keeper’s log says “rain” – and P < 0.01 ± 5 µm'],
    ['other marks', 'The keeper\'s log says "rain" - and P'],
    ['the entities', 'The keeper&rsquo;s log says &#8220;rain&#x201D; &ndash; and'],
    ['other entities', 'The keeper&#39;s log says &quot;rain&quot;'],
    ['code as it stands', 'write &amp; for an ampersand'],
  ])('in the document: %s', (_, quote) => {
    verified(judge(document, quote, 'markdown'));
  });

  test('in the quote alone', () => {
    verified(judge('The keeper’s log says “rain” all day', 'The keeper&rsquo;s log says &ldquo;rain&rdquo;', 'pdf'));
  });

  test('a quote keeps the document’s own characters and their place', () => {
    const evidence = judge(document, 'keeper’s log', 'markdown');
    expect(evidence.text).toBe('keeper&rsquo;s log');
    expect(evidence.position).toMatchObject({ start: 4, end: 22 });
    expect(judge(document, 'keeper&rsquo;s log', 'markdown')).toMatchObject({ tier: 'verbatim', text: 'keeper&rsquo;s log' });
  });

  test.each(['0.01 &plusmn; 5', 'and P > 0.01', '0.01 - 5 µm', 'rsquo;s log says', 'write & for an ampersand'])('but not %s', (quote) => {
    expect(judge(document, quote, 'markdown').status).toBe('rejected');
  });
});

describe('5: an ellipsis', () => {
  const document = [
    'The pump starts at dawn with the bell of the tower and stops at noon. It does so when the gauge reads five.',
    'A keeper must not leave it alone. Nobody may smoke.',
    'Oil is changed once a month by the engineer on duty.',
    'The valve may be opened by hand unless the pressure is above ten bars or the lamp is lit.',
    'The siren, which can be heard far away, sounds twice.',
    `${'Filler follows here. '.repeat(400)}`,
    'The log is kept for ten years in the tower.',
  ].join(' ');

  test.each([
    ['of three points', 'The pump starts at dawn ... and stops at noon.'],
    ['of one character', 'The pump starts at dawn … and stops at noon.'],
    ['in brackets', 'The pump starts at dawn [...] and stops at noon.'],
    ['in brackets, of one character', 'The pump starts at dawn […] and stops at noon.'],
    ['without spaces', 'The pump starts at dawn...and stops at noon.'],
    ['over sentences with negations', 'stops at noon. ... Oil is changed once a month'],
    ['over thousands of characters', 'Oil is changed once a month ... The log is kept for ten years'],
    [
      'over a clause of its own',
      'The siren … sounds twice in the end'
        .replace('The siren', 'lamp is lit. The siren')
        .replace(' in the end', '.')
        .concat(' Filler follows here.'),
    ],
    ['twice', 'The pump starts at dawn ... and stops at noon. [...] Oil is changed once'],
  ])('%s is elided', (_, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'elided', tier: null, reason: null });
  });

  test.each([
    ['a negation', 'A keeper must ... leave it alone.', 'not → …', 'A keeper must'],
    ['an exception', 'The valve may be opened by hand … the lamp is lit', 'unless → …', 'the lamp'],
    ['a modal', 'Wait for it: the valve ... opened by hand', 'may → …', 'the valve'],
  ])('that hides %s of its own sentence is refused', (_, quote, diff) => {
    expect(
      judge(
        `Wait for it: ${document.replace('The valve', 'the valve')}`.replace(
          'the valve may be opened by hand unless',
          quote.startsWith('The valve') ? 'The valve may be opened by hand unless' : 'the valve may be opened by hand unless',
        ),
        quote.replace('Wait for it: the valve', 'lamp and the valve').replace('lamp and the valve', 'by the engineer on duty. the valve'),
      ),
    ).toMatchObject({ status: 'rejected', reason: 'altered', diff });
  });

  test('at the edges is no free pass', () => {
    verified(judge(document, '... when the gauge reads five ...'));
    verified(judge(document, '[…] when the gauge reads five […]'));
    expect(judge(document, '... leave it alone.')).toMatchObject({ reason: 'clipped' });
    expect(judge('It holds 1023 barrels of oil.', '...23 barrels of oil')).toMatchObject({ reason: 'cut' });
    expect(judge('It holds 1023 barrels of oil.', 'It holds 10...')).toMatchObject({ reason: 'cut' });
  });

  test('of the document itself is literal', () => {
    expect(judge('She said: well ... never mind that. Then she left.', 'She said: well ... never mind that.')).toMatchObject({
      status: 'verified',
      tier: 'verbatim',
    });
  });

  test('between parts in another order is stitched, with their places', () => {
    const evidence = judge(document, 'Oil is changed once a month ... The pump starts at dawn');
    expect(evidence).toMatchObject({ status: 'rejected', reason: 'stitched' });
    expect(evidence.spans).toHaveLength(2);
  });

  test('between parts that say too little is too short', () => {
    expect(judge(document, 'The pump ... stops at noon')).toMatchObject({ status: 'rejected', reason: 'too_short' });
  });

  test('beside a changed part is explained by that part', () => {
    expect(judge(document, 'The pump starts at dawn ... Oil is changed twice a month')).toMatchObject({
      reason: 'altered',
      diff: 'once → twice',
    });
  });

  test('takes the narrowest places', () => {
    const evidence = judge(
      'A bell rings first. Then it stops. A bell rings first. We wait. All men go home.',
      'A bell rings first ... All men go home.',
    );
    expect(evidence).toMatchObject({ status: 'elided', context: '. We wait.' });
  });

  test('may hide the negation that its other part has', () => {
    expect(judge('The crew must not under any load at sea retry the pump.', 'The crew must not … retry the pump.')).toMatchObject({
      reason: 'altered',
    });
    expect(judge('The crew must not, at sea, retry the pump.', 'The crew must not … retry the pump.')).toMatchObject({ status: 'elided' });
  });
});

describe('6: square brackets', () => {
  const document =
    'The [APTT]-adjusted rate was 0.50 [0.31-0.83]. It counts the boats. Ten boats of the harbour are not lit, and a boat sinks.';

  test.each(['The [APTT]-adjusted rate was', 'rate was 0.50 [0.31-0.83]'])('of the document are literal: %s', (quote) => {
    const evidence = judge(document, quote);
    expect(evidence).toMatchObject({ status: 'verified', tier: 'verbatim' });
    expect(evidence.marks).toBeUndefined();
  });

  test.each([
    ['a pronoun in place of what is before', '[She] counts the boats.', 'counts the boats.'],
    ['a pronoun in place of another word, inside', 'boats of [it] are not lit', 'boats of the harbour are not lit'],
    ['a letter raised', '[B]oats of the harbour are not lit', 'boats of the harbour are not lit'],
    ['an ending', 'and a boat[s] sinks', 'and a boat sinks'],
    ['a remark', 'a boat [sic] sinks', 'a boat sinks'],
  ])('of an editor are marked: %s', (_, quote, text) => {
    expect(judge(document, quote)).toMatchObject({
      status: 'verified',
      tier: expect.not.stringMatching('verbatim'),
      marks: ['editor_brackets'],
      text,
    });
  });

  test.each([
    ['an insertion', 'It counts the boats [of the harbour].', '… → [of the harbour]'],
    ['a word in place of another', '[The lantern] counts the boats.', '… → [The lantern]'],
    ['a word in place of another, inside', 'boats of the [town] are not lit', 'harbour → [town]'],
  ])('of an editor that say something are for a person: %s', (_, quote, diff) => {
    expect(judge(document, quote)).toMatchObject({ status: 'near', diff, marks: ['editor_brackets'] });
  });

  test.each([
    ['that negate', 'It [never] counts the boats.'],
    ['that hold a number', 'It counts the [12] boats.'],
    ['that hold a modal', 'It [must] counts the boats.'],
    ['in place of a negation', 'boats of the harbour are [brightly] lit'],
    ['in place of a number', '[Many] boats of the harbour are [barely] lit'],
    ['that make another word', 'the harbour are not [un]lit'],
    ['that hold nearly all', '[The lamps and the bells are rung when it] counts'],
  ])('%s are refused', (_, quote) => {
    expect(judge(document, quote, 'text', { minChars: 12 }).status).toBe('rejected');
  });
});

describe('7: the first letter, and the marks at the edges', () => {
  test.each([
    ['raised', 'and then the keeper sleeps', 'The keeper sleeps'],
    ['lowered', 'At night. No keeper sleeps', 'no keeper sleeps'],
    ['lowered, behind the number of a section', '4\n\nThe keeper sleeps', 'the keeper sleeps'],
    ['behind a mark', 'and then the keeper sleeps', ', the keeper sleeps;'],
  ])('%s', (_, document, quote) => verified(judge(document, quote)));

  test('but a point that makes a fraction is none', () => {
    expect(judge('It takes 5 volts to run.', '.5 volts to run').status).toBe('rejected');
  });
});

describe('8: what models do to quotes is rejected, with the difference', () => {
  const document =
    'The lantern was designed by Johanna Merrick in 1904. It was rebuilt after the flood by the harbour office. ' +
    'The keeper sleeps in the tower, and the log is written every hour of the night. The acet compound is stored below.';

  test.each([
    ['a name changed', 'The lantern was designed by Johanna Warwick in 1904.', 'altered', 'Merrick → Warwick'],
    ['a name corrected', 'The lantern was designed by Johanna Merrik in 1904.', 'altered', 'Merrick → Merrik'],
    ['a cut word completed', 'The acetone compound is stored below.', 'reworded', 'acet → acetone'],
    ['passages glued', 'The lantern was designed by Johanna Merrick in 1904. The keeper sleeps in the tower,', 'stitched', null],
  ])('%s', (_, quote, reason, diff) => {
    expect(judge(document, quote)).toMatchObject({ status: 'rejected', reason, diff });
  });

  test('the prompt’s claim instead of the document’s', () => {
    const promptText = createPromptText('Is it true that "the log is written every minute of the night"?');
    const quote = 'the log is written every minute of the night';
    expect(judge(document, quote, 'text', { promptText })).toMatchObject({ reason: 'from_prompt', diff: 'hour → minute' });
    expect(
      judge(document, 'the log is written every hour', 'text', { promptText: createPromptText('the log is written every hour') }).status,
    ).toBe('verified');
  });

  test('another document’s words', () => {
    const quote = 'Ravens nest above the second window';
    expect(judge(document, quote, 'text', { elsewhere: 'b.md' })).toMatchObject({ reason: 'from_other_document', source: 'b.md' });
    expect(judge(document, quote, 'text', { elsewhere: null })).toMatchObject({ reason: 'not_found' });
  });

  test.each([
    ['a word of the document', 'A lantern glows. The lanterm glowed long.', 'The lanterm glows'],
    ['a short word', 'The lamp stands tall on the quay.', 'The lamq stands tall on the quay.'],
    ['a changed number too', 'The lantern stands 12 feet tall on the quay.', 'The lantren stands 13 feet tall on the quay.'],
    ['a prefix', 'The internal lamps of the northern quay are lit.', 'The external lamps of the northern quay are lit.'],
    [
      'another prefix',
      'Patients with hypotension were kept in the tower for a night.',
      'Patients with hypertension were kept in the tower for a night.',
    ],
  ])('a slip is not near in %s', (_, text, quote) => {
    expect(judge(text, quote).status).toBe('rejected');
  });

  test('a slip of the pen is near, and never verified', () => {
    expect(judge(document, 'It was rebuilt after the flood by the harbuor office.').status).toBe('rejected');
    expect(judge(document, 'It was rebuilt after the flood by the harbor office.')).toMatchObject({
      status: 'near',
      diff: 'harbour → harbor',
    });
  });
});

describe('9: a flat number is no other way to write an exponent', () => {
  test.each<[DocumentFormat, string, string, string]>([
    ['pdf', 'at a rate of 10-8 per hour', 'at a rate of 10^-8 per hour', '10-8 → 10^-8 (number format)'],
    ['pdf', 'at a rate of 10-8 per hour', 'at a rate of 10⁻⁸ per hour', '10-8 → 10⁻⁸ (number format)'],
    ['html', 'at a rate of 10^-8 per hour', 'at a rate of 10-8 per hour', '10^-8 → 10-8 (number format)'],
    ['html', 'there are 2^5 rows in it', 'there are 25 rows in it', '2^5 → 25 (number format)'],
    ['docx', 'the mass of H_2O in grams', 'the mass of H2O in grams', 'H_2O → H2O (number format)'],
  ])('%s: %s is not %s', (format, document, quote, diff) => {
    expect(judge(document, quote, format)).toMatchObject({ status: 'rejected', reason: 'altered', diff });
  });
});

describe('10: a place that is claimed', () => {
  const index = createEvidenceIndex(
    canonicalPages(['The bell rings.\nA boat lands.', 'Rain falls.\nThe bell rings.\nThe bell rings.'], 'pdf'),
  );
  const { text } = index.content;
  const second = text.indexOf('The bell', 5);
  const third = text.lastIndexOf('The bell');
  const find = (options: Options) => verifyQuote(index, 'The bell rings.', { minChars: 3, ...options });

  test('a line is preferred, and a wrong one is no fault', () => {
    expect(find({ page: 2, line: 3 }).position).toMatchObject({ page: 2, line: 3 });
    expect(find({ line: 9 })).toMatchObject({ status: 'verified', position: { page: 1, line: 1 } });
  });

  test('what was seen comes before the part, the part before the page', () => {
    const seen = [{ start: second, end: second + 20 }];
    expect(find({ seen, page: 1 })).toMatchObject({ seen: true, position: { start: second } });
    expect(find({ near: { start: third, end: text.length }, page: 1 })).toMatchObject({ position: { start: third }, occurrences: 3 });
    expect(find({ near: null }).position).toMatchObject({ start: 0 });
  });

  test('a place that was not in a prompt is said', () => {
    expect(find({ seen: [{ start: 16, end: 20 }] })).toMatchObject({ status: 'verified', seen: false });
    expect(find({})).not.toHaveProperty('seen');
  });

  test('touching parts have been seen together', () => {
    const seen = [
      { start: 4, end: 40 },
      { start: 0, end: 4 },
    ];
    expect(find({ seen }).seen).toBe(true);
    expect(
      find({
        seen: [
          { start: 0, end: 4 },
          { start: 5, end: 15 },
        ],
      }).seen,
    ).toBe(false);
  });

  test('all parts of an elided quote must have been seen', () => {
    const elided = (end: number) => verifyQuote(index, 'A boat lands. ... The bell rings.', { minChars: 3, seen: [{ start: 0, end }] });
    expect(elided(text.length)).toMatchObject({ status: 'elided', seen: true });
    expect(elided(second)).toMatchObject({ status: 'elided', seen: false });
  });

  test('a line is one that the span touches', () => {
    const span = { start: second, end: text.length };
    expect([1, 2, 3, 4].map((line) => isOnLine(index.content, span, line))).toEqual([false, true, true, false]);
    expect(isOnLine(index.content, span, null)).toBe(false);
  });
});

describe('11: characters that are none', () => {
  test.each([
    '\u0000',
    'The bell\u0000 rings',
    '\ud800',
    'The bell \udfff rings ... at noon',
    '[\ud800] The bell ... \u0000',
    '&#0; &#xd800; &#9999999;',
  ])('%j is judged', (quote) => {
    expect(() =>
      judge('The bell rings at noon.', quote, 'markdown', { minChars: 0, promptText: createPromptText('\ud800'), elsewhere: 'x' }),
    ).not.toThrow();
  });

  test('a NUL inside a quote is nothing', () => verified(judge('The bell rings at noon.', 'The bell\u0000 rings')));
});

describe('a source text is read as its page', () => {
  const latex =
    'The \\emph{first} rule~3 of {\\bf all} costs 5\\,\\% of \\$7, that is $5 \\times 3$ or \\textbf{a \\textit{third}}, \\label{rule}says the ' +
    "``old'' caf\\'e on pages 3--5 \\ldots at 10\\,000 and H\\\"ohe.";

  test.each([
    'The first rule 3 of all costs 5 % of $7, that is 5 × 3 or a third, says the “old” café on pages 3–5',
    'The \\emph{first} rule~3 of {\\bf all} costs 5\\,\\% of \\$7',
    'costs 5% of $7',
    'at 10 000 and Höhe.',
    'rule~3 of all costs',
  ])('LaTeX: %s', (quote) => verified(judge(latex, quote, 'latex')));

  test.each(['costs 5', 'rule ~3 of all costs', 'that is 5 3 or a third', 'of 7, that is 5', 'at 10\\,00'])(
    'LaTeX, but not %s',
    (quote) => {
      expect(judge(latex, quote, 'latex').status).toBe('rejected');
    },
  );

  const asciidoc =
    'The *first* _rule_ of `ext_a` takes ext:mul[] and +raw+ words, see <<rules,the rules>> and https://x.example/a[the page], [#r1]#marked words# here.';

  test.each([
    'The first rule of ext_a takes mul and raw words, see the rules and the page, marked words here.',
    'The *first* _rule_ of `ext_a` takes ext:mul[] and +raw+ words, see <<rules,the rules>>',
    'takes ext:mul[] and raw words',
  ])('AsciiDoc: %s', (quote) => verified(judge(asciidoc, quote, 'asciidoc')));

  test('the place is that of the source', () => {
    const evidence = judge(asciidoc, 'takes mul and raw words', 'asciidoc');
    expect(evidence.text).toBe('takes ext:mul[] and +raw+ words');
    expect(asciidoc.slice(evidence.position?.start, evidence.position?.end)).toBe(evidence.text);
  });
});

describe('a hostile quote costs little', () => {
  const index = createEvidenceIndex(canonicalText('The bell rings at noon and the boat lands. '.repeat(5_000)));
  const hostile: [string, string][] = [
    ['one letter', 'a'.repeat(10_000)],
    ['ellipses', Array.from({ length: 101 }, () => 'The bell rings at noon').join(' ... ')],
    ['ellipses alone', '... '.repeat(25_000)],
    ['eleven ellipses', Array.from({ length: 12 }, () => 'The bell rings at noon').join(' ... ')],
    ['brackets', `The ${'[x] '.repeat(50_000)}`],
    ['opening brackets', `The ${'['.repeat(100_000)}`],
    ['eight brackets', 'The bell [it] rings at [the] noon and [a] the boat lands'.repeat(2)],
    ['entities', '&amp;'.repeat(100_000)],
    ['a megabyte', 'The bell rings at noon, says he. '.repeat(32_000)],
    ['spaces', `The${' '.repeat(1_000_000)}bell!`],
    ['backslashes', '\\'.repeat(200_000)],
    ['braces', '\\emph{'.repeat(50_000)],
  ];

  test.each(hostile)(
    '%s',
    (_, quote) => {
      for (const format of ['text', 'pdf', 'latex', 'asciidoc', 'markdown'] as const) {
        expect(
          verifyQuote({ ...index, content: { ...index.content, format } }, quote, { minChars: 3, promptText: createPromptText(quote) })
            .status,
        ).not.toBe('verified');
      }
    },
    60_000,
  );
});

test('a heading of AsciiDoc is quoted without its mark', () => {
  expect(judge('Intro.\n\n=== Base Integer Set\n\nText.', 'Base Integer Set', 'asciidoc')).toMatchObject({ status: 'verified' });
  expect(judge('Take it if a == base address.', 'base address', 'asciidoc')).toMatchObject({ reason: 'cut' });
});
