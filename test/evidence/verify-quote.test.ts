import { describe, expect, test } from 'vitest';
import type { DocumentFormat } from '../../src/domain/document.ts';
import type { Evidence } from '../../src/domain/score.ts';
import { createEvidenceIndex } from '../../src/evidence/evidence-index.ts';
import { verifyQuote } from '../../src/evidence/verify-quote.ts';
import { canonicalPages, canonicalText } from './canonical.ts';

const CONTROLLER = createEvidenceIndex(
  canonicalPages([
    [
      'THE TIMER BLOCK AND ITS REGISTERS',
      'The watchdog supports up-to 4095 ticks (0 disables it)',
      'and 20480 channels, but the usable number may be lower.',
      'A stalled chan-',
      'nel is restarted within 2.5 ms of the non- maskable event.',
      'Not all channels need be connected, in particular, channel 7 is not.',
      'The firmware MUST NOT clear the lock bit (bit 31) since this would',
      'allow a second writer.',
      'A driver SHOULD poll the "ready" flag before the first write.',
    ].join('\n'),
    [
      'Every channel combines the various device events onto one external line.',
      'As few as 139K accesses are needed to induce an error in 110 of 129 modules.',
      'The port for control traffic is 1815.',
      "Writers don't wait. The server doesn't retry, and it cannot block.",
      'The reset value is -5 and the threshold is <= 300 mV.',
      'Only the value 10 000 is notable; inactive inputs read as zero.',
      'The lock_owner field names the holder; RV32I cores ignore it.',
    ].join('\n'),
  ]),
);

function verify(quote: string, index = CONTROLLER): Evidence {
  return verifyQuote(index, quote, { minChars: 3 });
}

describe('a quote that the document has', () => {
  test.each<[string, string, Evidence['tier']]>([
    ['word for word', 'The watchdog supports up-to 4095 ticks (0 disables it)', 'verbatim'],
    ['over two lines', 'ticks (0 disables it) and 20480 channels', 'normalised'],
    ['over a hyphen at a line end', 'A stalled channel is restarted within 2.5 ms', 'normalised'],
    ['with a hyphen that the layout set apart', 'the non-maskable event', 'normalised'],
    ['with that hyphen as it stands', 'of the non- maskable event', 'verbatim'],
    ['in quotation marks of its own', '“The firmware MUST NOT clear the lock bit”', 'verbatim'],
    ['with other quotation marks inside', 'poll the “ready” flag before', 'normalised'],
    ['with invisible and other spaces', 'MUST\u00a0NOT clear\u200b the  lock\tbit', 'normalised'],
    ['with a ligature', 'The \ufb01rmware MUST NOT', 'normalised'],
    ['with a full stop of its own', 'The watchdog supports up-to 4095 ticks (0 disables it).', 'punct'],
    ['with its first letter raised', 'Firmware MUST NOT clear the lock bit', 'case'],
    ['with a heading in small letters', 'The timer block and its registers', 'case'],
    ['with the page anchor of the prompt', '[[p 2]] The port for control traffic', 'verbatim'],
    ['with cannot in two words', 'it can not block', 'normalised'],
  ])('%s is verified', (_, quote, tier) => {
    expect(verify(quote)).toMatchObject({ status: 'verified', tier, reason: null, diff: null, occurrences: 1 });
  });

  test('gives the document’s own words and their place', () => {
    const quote = verify('A stalled channel is restarted');
    const { text } = CONTROLLER.content;
    expect(quote.text).toBe('A stalled chan-\nnel is restarted');
    expect(quote.position).toEqual({
      page: 1,
      pageLabel: null,
      section: null,
      line: 4,
      start: text.indexOf('A stalled'),
      end: text.indexOf(' within 2.5'),
    });
  });
});

describe('a quote that was changed', () => {
  test.each([
    ['a digit', 'supports up-to 4059 ticks (0 disables it)', '4095 → 4059'],
    ['a number', 'an error in 111 of 129 modules', '110 → 111'],
    ['a unit', 'few as 139M accesses are needed to induce', '139K → 139M'],
    ['a dropped negation', 'The firmware MUST clear the lock bit (bit 31)', 'MUST NOT → MUST'],
    ['an added negation', 'The port for control traffic is not 1815', 'is → is not'],
    ['a weaker modal', 'The firmware SHOULD NOT clear the lock bit', 'MUST → SHOULD'],
    ['the case of a modal', 'A driver should poll the "ready" flag', 'SHOULD → should'],
    ['a dropped sign', 'The reset value is 5 and the threshold', '-5 → 5'],
    ['a comparator', 'and the threshold is < 300 mV', '<= → <'],
    ['a quantifier', 'All channel combines the various device events', 'Every → All'],
    ['an identifier', 'The lock_holder field names the holder', 'lock_owner → lock_holder'],
    ['an identifier in capitals', 'names the holder; RV64I cores ignore it', 'RV32I → RV64I'],
    ['a negation made of a word', 'Only the value 10 000 is not able', 'notable → not able'],
    ['a prefix split off', 'in active inputs read as zero', 'inactive → in active'],
  ])('in %s is rejected as altered, with the difference', (_, quote, diff) => {
    expect(verify(quote)).toMatchObject({ status: 'rejected', tier: null, reason: 'altered', diff, occurrences: 0 });
  });

  test('shows the nearest place and its words', () => {
    const evidence = verify('The port for control traffic is 1851.');
    expect(evidence.text).toBe('The port for control traffic is 1815');
    expect(evidence.position).toMatchObject({ page: 2, line: 3 });
  });

  test('in an ordinary word is rejected as reworded', () => {
    const evidence = verify('Every channel combines the different device events onto one external line.');
    expect(evidence).toMatchObject({ status: 'rejected', reason: 'reworded', diff: 'various → different' });
    expect(evidence.text).toContain('various device events');
  });

  test.each([
    ['invented', 'Clients shall compress telemetry frames with the DEFLATE algorithm'],
    ['spliced from far places', 'THE TIMER BLOCK AND ITS REGISTERS The port for control traffic is 1815.'],
    ['in another order', 'and 20480 channels The watchdog supports up-to 4095 ticks'],
  ])('%s is rejected', (_, quote) => {
    expect(verify(quote)).toMatchObject({ status: 'rejected', tier: null });
  });

  test('beyond recognition is not found', () => {
    expect(verify('Clients shall compress telemetry frames with the DEFLATE algorithm')).toEqual({
      status: 'rejected',
      tier: null,
      reason: 'not_found',
      diff: null,
      occurrences: 0,
      position: null,
      text: null,
    });
  });
});

describe('a quote that stops where the meaning changes', () => {
  test.each([
    ['inside a number', 'watchdog supports up-to 409', 'up-to 4095'],
    ['after the first digits', '480 channels, but the usable number', '20480 channels'],
    ['inside a decimal number', '5 ms of the non- maskable event', '2.5 ms'],
    ['before the unit of a number', 'As few as 139', '139K'],
    ['inside a grouped number', 'Only the value 10', 'value 10'],
    ['after a sign', '5 and the threshold is', '-5 and'],
    ['after a comparator', '300 mV.', '300 mV.'],
    ['inside a word', 'The firm', 'firmware'],
    ['before the n’t of a word', 'Writers don', "don't"],
    ['after a negating prefix', 'maskable event', 'maskable'],
    ['inside a hyphenated word', 'watchdog supports up', 'up-to'],
    ['inside an identifier', 'owner field names the holder', 'lock_owner'],
    ['before the number of its sentence', 'The port for control traffic is.', 'traffic is'],
  ])('%s is rejected as cut', (_, quote, words) => {
    const evidence = verify(quote);
    expect(evidence).toMatchObject({ status: 'rejected', reason: 'cut' });
    expect(evidence.text).toContain(words);
  });

  test.each([
    [
      'over the end of a line',
      'For many years now Firefox has been using Sun-\nSpider, the industry standard.',
      'Spider, the industry',
      '…years now Firefox has been using Sun-|Spider, the industry standard.',
    ],
    ['at its start', 'It holds 1023 barrels of oil.', '23 barrels of oil', 'It holds 10|23 barrels of oil.'],
    ['at its end', 'The relay serves up-to 2048 sluices.', 'The relay serves up-to 204', 'The relay serves up-to 204|8 sluices.'],
    ['in a surrogate pair', 'Here the value \ud835\udfcf is set.', 'Here the value \ud835', 'Here the value | is set.'],
  ])('a quote that is cut %s shows where', (_, text, quote, context) => {
    expect(verify(quote, createEvidenceIndex(canonicalText(text, 'pdf')))).toMatchObject({ reason: 'cut', context });
  });

  test.each([
    ['behind a negation', 'all channels need be connected', 'Not all channels need be connected'],
    ['one word behind it', 'channels need be connected', 'Not all channels need be connected'],
    ['before a negation', 'in particular, channel 7 is', 'in particular, channel 7 is not'],
    ['after a contracted negation', 'retry, and it cannot block', "doesn't retry, and it cannot block"],
  ])('%s is rejected as clipped, with the negation shown', (_, quote, text) => {
    expect(verify(quote)).toMatchObject({ status: 'rejected', reason: 'clipped', text });
  });

  test.each([
    ['a list item', 'A device shall not:\n- answer a broadcast request\n- retry', 'answer a broadcast request'],
    ['the next sentence', 'It is not. The device answers at once.', 'The device answers at once.'],
    ['another clause', 'If it does not, the device answers at once.', 'the device answers at once'],
  ])('a negation does not reach %s', (_, document, quote) => {
    expect(verify(quote, createEvidenceIndex(canonicalText(document)))).toMatchObject({ status: 'verified' });
  });

  test('another occurrence that is whole counts', () => {
    const index = createEvidenceIndex(canonicalText('The 15 rows of unit 1234 are read. The unit 123 is free.'));
    expect(verify('unit 123', index)).toMatchObject({ status: 'verified', occurrences: 1, text: 'unit 123' });
  });
});

test('a number in quotation marks is not left out behind a full stop', () => {
  const index = createEvidenceIndex(canonicalText('If it is zero, append "0".'));
  expect(verify('If it is zero, append "".', index)).toMatchObject({ status: 'rejected', reason: 'cut' });
});

describe('glue of a layout', () => {
  test.each<[string, DocumentFormat, string, string, Evidence['status']]>([
    ['a table caption after a full stop', 'pdf', 'was small (P < 0.01).Table 2 shows it', 'was small (P < 0.01).', 'verified'],
    ['a note letter after a bracket', 'pdf', 'in most cases (6.1%)a and rarely else', 'in most cases (6.1%)', 'verified'],
    ['a footnote number after a word', 'pdf', 'had the effect12 of a reset', 'had the effect', 'verified'],
    ['a footnote number outside PDF', 'text', 'had the effect12 of a reset', 'had the effect', 'rejected'],
    ['a page number before a sentence', 'pdf', '12The results agree well', 'The results agree well', 'verified'],
    ['a unit after a number', 'pdf', 'a clock of 12MHz drives it', 'a clock of 12', 'rejected'],
  ])('%s (%s)', (_, format, document, quote, status) => {
    expect(verify(quote, createEvidenceIndex(canonicalText(document, format))).status).toBe(status);
  });

  test('scripts without spaces may be cut between any two letters', () => {
    const index = createEvidenceIndex(canonicalText('割り込みコントローラは最大1023個の割り込みをサポートする。'));
    expect(verify('コントローラは最大1023個', index)).toMatchObject({ status: 'verified' });
    expect(verify('コントローラは最大102', index)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });
});

describe('white space between numbers', () => {
  test.each([
    ['two numbers are not one', 'rows 1 2 and so on', 'rows 12 and so on'],
    ['a number and the next sentence are not a decimal', 'There are 5. 7 of them fail', 'There are 5.7 of them fail'],
    ['a range is not a sign', 'between 3 - 5 volts here', '-5 volts here'],
    ['a lost minus is not a space', 'The drop VDD − VSS is small', 'The drop VDD VSS is small'],
  ])('%s', (_, document, quote) => {
    expect(verify(quote, createEvidenceIndex(canonicalText(document))).status).toBe('rejected');
  });
});

describe('Markdown', () => {
  const index = createEvidenceIndex(
    canonicalText('The `ctrl_reg` field **must** be _set once_; `int *p` and `__init__` stay \\[sic\\].', 'markdown'),
  );

  test.each([
    'The ctrl_reg field must be set once',
    'The `ctrl_reg` field **must** be _set once_',
    'ctrl_reg` field **must',
    'int *p and __init__ stay [sic]',
  ])('%s is verified with its marks or without', (quote) => {
    expect(verify(quote, index).status).toBe('verified');
  });

  test.each(['int p and __init__ stay', 'The ctrlreg field must be', 'int *p and init stay'])('%s lost what is no mark', (quote) => {
    expect(verify(quote, index).status).toBe('rejected');
  });
});

describe('several occurrences', () => {
  const index = createEvidenceIndex(
    canonicalPages(['The bus is idle.\nNothing else.', 'Again: the bus is\nidle. The bus is idle.', 'End.'], 'pdf', ['iv', '1', '2']),
  );

  test('the first literal one counts, and all are counted', () => {
    expect(verify('The bus is idle', index)).toMatchObject({ occurrences: 2, position: { page: 1 } });
  });

  test('the one on the claimed page is preferred', () => {
    expect(verifyQuote(index, 'The bus is idle', { minChars: 3, page: 2 })).toMatchObject({
      status: 'verified',
      tier: 'verbatim',
      occurrences: 2,
      position: { page: 2 },
    });
  });

  test('a printed page label names a page too', () => {
    expect(verifyQuote(index, 'The bus is idle', { minChars: 3, page: 1 }).position).toMatchObject({ page: 1 });
    expect(verifyQuote(index, 'End.', { minChars: 3, page: 2 }).position).toMatchObject({ page: 3, pageLabel: '2' });
  });

  test('a wrong page does not make a quote wrong', () => {
    expect(verifyQuote(index, 'Nothing else.', { minChars: 3, page: 9 })).toMatchObject({ status: 'verified', position: { page: 1 } });
  });
});

describe('odd quotes', () => {
  test.each(['', '   ', '""', '\u0000', '\u200b\u200b'])('nothing (%j) is too short', (quote) => {
    expect(verifyQuote(CONTROLLER, quote, { minChars: 0 })).toMatchObject({ status: 'rejected' });
  });

  test('a quote is measured in characters after cleaning', () => {
    expect(verifyQuote(CONTROLLER, ' "The timer" ', { minChars: 10 })).toMatchObject({ reason: 'too_short' });
    expect(verifyQuote(CONTROLLER, 'RV32I cores', { minChars: 11 })).toMatchObject({ status: 'verified' });
  });

  test.each(['\ud800 lone surrogate', 'The \u0000watchdog supports up-to', '\udc00'.repeat(50), '((((', '[[p 1]]', '.'.repeat(100_000)])(
    'a quote of strange characters is judged, not thrown on (%#)',
    (quote) => {
      expect(['verified', 'rejected']).toContain(verify(quote).status);
    },
  );

  test('a quote longer than the document is not found', () => {
    expect(verify('no such text here at all '.repeat(20_000))).toMatchObject({ status: 'rejected', reason: 'not_found' });
  });

  test('half of a surrogate pair is cut', () => {
    const index = createEvidenceIndex(canonicalText('the value \u{1d465}\u{1d466} is real'));
    expect(verify('the value \ud835', index)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test('an empty document holds no quote', () => {
    expect(verify('anything at all', createEvidenceIndex(canonicalText('')))).toMatchObject({ reason: 'not_found' });
  });

  test('without explanation the nearest place is not looked for', () => {
    expect(verifyQuote(CONTROLLER, 'supports up-to 4059 ticks', { minChars: 3, explain: false })).toMatchObject({
      reason: 'not_found',
      text: null,
    });
  });
});

describe('a changed case', () => {
  const index = createEvidenceIndex(
    canonicalText('After the reset, the Link Layer may drop 64 kB of data; readNext returns NULL. the mode Low is rare.'),
  );

  test.each([
    ['the first letter lowered', 'after the reset, the Link Layer', 'verified'],
    ['an ordinary word in title case', 'the link layer may drop', 'verified'],
    ['the case of a modal', 'the Link Layer MAY drop', 'rejected'],
    ['a modal raised at the start', 'May drop 64 kB of data', 'rejected'],
    ['a unit', 'drop 64 KB of data', 'rejected'],
    ['an identifier', 'readnext returns NULL', 'rejected'],
    ['a constant', 'readNext returns null', 'rejected'],
    ['a short word inside', 'the mode low is rare', 'rejected'],
  ])('in %s', (_, quote, status) => {
    expect(verify(quote, index).status).toBe(status);
  });
});
