import { describe, expect, test } from 'vitest';
import type { DocumentFormat } from '../../src/domain/document.ts';
import type { Evidence } from '../../src/domain/score.ts';
import { createEvidenceIndex } from '../../src/evidence/evidence-index.ts';
import { verifyQuote } from '../../src/evidence/verify-quote.ts';
import { canonicalText } from './canonical.ts';

function judge(document: string, quote: string, format: DocumentFormat = 'text', minChars = 3): Evidence {
  return verifyQuote(createEvidenceIndex(canonicalText(document, format)), quote, { minChars });
}

describe('a quote cannot be made longer by', () => {
  const document = 'The default value is 5 and it is a long sentence. =============== The mode is............ 7';

  test.each([
    ['full stops', 'is............'],
    ['full stops that the document has', 'The mode is............'],
    ['zero-width spaces', `the${'\u200b'.repeat(12)}`],
    ['white space', 'is         a'],
    ['signs alone', '==============='],
  ])('%s', (_, quote) => {
    expect(judge(document, quote, 'text', 12)).toMatchObject({ status: 'rejected', reason: 'too_short' });
  });
});

describe('a number keeps what stands before it', () => {
  test.each(
    [
      '−',
      '-',
      '–',
      '±',
      '+',
      '$',
      '€',
      'USD',
      '⩽',
      '⩾',
      '≪',
      '≦',
      '=<',
      '=>',
      '<<',
      '<=',
      'minus',
      'less than',
      'at most',
      '\\leq',
      '\\pm',
    ].flatMap((sign) => [
      [sign, `The temperature is ${sign} 40 °C when the chip sleeps.`],
      [`${sign} (tight)`, `The temperature is ${sign}${/[a-zD]$/.test(sign) ? ' ' : ''}40 °C when the chip sleeps.`],
    ]),
  )('%s', (_, document) => {
    expect(judge(document, '40 °C when the chip sleeps.')).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each(['**-**40', '**- 40**', '**-** 40', '_−_ 40', '- `40`'])('in Markdown: %s', (number) => {
    expect(judge(`The temperature is ${number} °C when the chip sleeps.`, '40 °C when the chip sleeps.', 'markdown').status).toBe(
      'rejected',
    );
  });

  test.each(['- 40 bytes are read', '- 3 bytes are written\n- 40 bytes are read', '+ 40 bytes are read'])(
    'but not the mark of a list: %j',
    (list) => {
      expect(judge(`These are the steps:\n\n${list}\n`, '40 bytes are read')).toMatchObject({ status: 'verified' });
    },
  );
});

describe('a sign is not left out', () => {
  test.each<[string, string, DocumentFormat]>([
    ['The limit is −**5** volts when idle', '**5** volts when idle', 'markdown'],
    ['The limit is -$5 a day when idle', '$5 a day when idle', 'text'],
    ['The limit is −\u200b5 volts when idle', '5 volts when idle', 'text'],
    ['The limit is <i>−</i>5 volts when idle', '5 volts when idle', 'markdown'],
    ['The limit is &minus;5 volts when idle', '5 volts when idle', 'text'],
    ['The loss is 5\u200b% when idle', 'The loss is 5', 'text'],
    ['The limit is -(5) volts when idle', '(5) volts when idle', 'text'],
    ['The bias is −VDD when idle', 'VDD when idle', 'text'],
    ['The bias is -VDD when idle', 'VDD when idle', 'text'],
    ['Run it with --force when idle', 'force when idle', 'text'],
    ['The loop ends if !ready holds', 'ready holds', 'text'],
    ['The loss is **5**% when idle', 'The loss is **5**', 'markdown'],
    ['The loss is (5)% when idle', 'The loss is (5)', 'text'],
  ])('%s', (document, quote, format) => {
    expect(judge(document, quote, format)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test('over any width of white space', () => {
    expect(judge(`The limit is −${' '.repeat(70)}40 volts when idle`, '40 volts when idle')).toMatchObject({ reason: 'cut' });
    expect(judge(`The limit is${' '.repeat(130)}- 40 volts when idle`, '40 volts when idle')).toMatchObject({ reason: 'cut' });
  });

  test('but a list may have hyphens without spaces', () => {
    expect(judge('Steps:\n-read the bytes\n-write the bytes', 'write the bytes').status).toBe('verified');
  });
});

describe('a number is not cut', () => {
  test.each([
    '15\u0027872',
    '15\u2019872',
    '15\u00b7872',
    '15 x 10^6',
    '15*10^6',
    '15 * 10^6',
    '15 × 10^6',
    '15\n× 10',
    '15 / 17',
    '15 – 17',
    '15 to 17',
    '15..17',
    '15 … 17',
    '15 %',
    '15%',
    '15+',
    '15 ± 2',
    '15 +/- 2',
    '15 million',
    '15 ms',
    '15 °C',
    '15 bytes',
  ])('at its end: %j', (number) => {
    expect(judge(`There is a total of ${number} contexts`, 'There is a total of 15')).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each(["15'872", '15’872', '5 / 872', '3 x 872', '3 * 872', '3 – 872', '3 to 872', '3 ... 872'])('at its start: %j', (number) => {
    expect(judge(`There is a total of ${number} contexts`, '872 contexts')).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each<[string, DocumentFormat]>([
    ['100Mbps Ethernet links only', 'pdf'],
    ['12Volt supply at all times', 'pdf'],
    ['12The results agree well', 'text'],
  ])('as if it were glued to a sentence: %s (%s)', (document, format) => {
    expect(judge(document, document.replace(/^\d+/, ''), format)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test('but its sentence may end with it', () => {
    expect(judge('The count is 15. Table 5 A device', 'The count is 15').status).toBe('verified');
  });
});

describe('a range of names is not cut', () => {
  test.each([
    ['Registers A – D must be cleared at once', 'D must be cleared at once'],
    ['Registers A – D must be cleared at once', '– D must be cleared at once'],
    ['Registers A - D must be cleared at once', 'D must be cleared at once'],
    ['Registers A –\nD must be cleared at once', 'D must be cleared at once'],
    ['Registers A..D must be cleared at once', 'D must be cleared at once'],
    ['Registers A – B – D must be cleared at once', 'D must be cleared at once'],
    ['Registers `A` – `D` must be cleared at once', '`D` must be cleared at once'],
    ['Registers R0 – R7 must be cleared at once', 'R7 must be cleared at once'],
    ['Set registers A – D now', 'Set registers A'],
    ['Set registers A – D now', 'Set registers A –'],
    ['Set registers A — D now', 'Set registers A'],
    ['Set registers A..D now', 'Set registers A'],
    ['Set registers A..D now', 'Set registers A..'],
    ['Set registers A…D now', 'Set registers A'],
    ['Set registers A through D now', 'Set registers A'],
    ['Set registers PA0 – PA7 now', 'Set registers PA0'],
  ])('%j is not %j', (document, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each([
    ['Set registers A – D now', 'registers A – D now'],
    ['Set registers A..D now', 'Set registers A..D'],
    ['Take option B – a device retries', 'a device retries'],
    ['Annex A – Definitions of terms', 'Definitions of terms'],
    ['See register A\n- D is the next one', 'D is the next one'],
  ])('(but %j is %j)', (document, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'verified' });
  });
});

describe('two wordings are not one because of', () => {
  test.each([
    ['a lost range', 'Registers A–D must be cleared', 'Registers AD must be cleared'],
    ['a range that became a space', 'Registers A-D must be cleared', 'Registers A D must be cleared'],
    ['a lost hyphen between names', 'Registers A-D must be cleared', 'Registers AD must be cleared'],
    ['a minus that became a space', 'the drop VDD-VSS is small', 'the drop VDD VSS is small'],
    ['a lost minus', 'the drop VDD-VSS is small', 'the drop VDDVSS is small'],
    ['a lost minus of letters', 'the x-y plane is flat', 'the xy plane is flat'],
    ['a lost en dash', 'the low–high range is', 'the lowhigh range is'],
    ['a joined modal', 'it may be used here', 'it maybe used here'],
    ['a split modal', 'it maybe used here', 'it may be used here'],
    ['a joined negation in glued words', 'it isnotable to run', 'it is not able to run'],
    ['a split prefix', 'an a-typical case', 'an a typical case'],
    ['joined units', 'wait 5 m s here', 'wait 5 ms here'],
    ['split units', 'wait 5 ms here', 'wait 5 m s here'],
    ['joined names', 'registers A D are', 'registers AD are'],
    ['a prime less', "where f''(x) is defined", "where f'(x) is defined"],
    ['a double prime', 'where f\u2033(x) is defined', "where f'(x) is defined"],
    ['inches', 'a bar of 5 " width', "a bar of 5 ' width"],
    ['a sign that became a range', 'Range 5 -3 is set', 'Range 5-3 is set'],
    ['a range that became a sign', 'Range 5-3 is set', 'Range 5 -3 is set'],
    ['a dash that became a sign', 'the value—5 volts', 'the value -5 volts'],
    ['a dash less', 'use the --force flag', 'use the -force flag'],
    ['a dash more', 'use the -force flag', 'use the --force flag'],
    ['two minus signs', 'from 5--3 on', 'from 5-3 on'],
    ['the case of a unit in a heading', 'draws the power in mW per channel', 'POWER IN MW PER CHANNEL'],
    ['the case of another unit', 'speed of the link in Mb per second', 'LINK IN MB PER SECOND'],
    ['the case of a name in a heading', 'the function readNext returns early', 'THE FUNCTION READNEXT RETURNS EARLY'],
  ])('%s', (_, document, quote) => {
    expect(judge(document, quote).status).toBe('rejected');
  });

  test.each([
    ['operators that look like emphasis', 'is 2 *3* 4 in all', 'is 2 3 4 in all'],
    ['dereferences that look like emphasis', 'call (*a)*(b) now', 'call (a)(b) now'],
  ])('%s', (_, document, quote) => {
    expect(judge(document, quote, 'markdown').status).toBe('rejected');
  });

  test.each<[string, string, string, DocumentFormat]>([
    ['a torn compound', 'use non- human data', 'use non-human data', 'text'],
    ['a lost hyphen of a compound', 'an e-mail was sent', 'an email was sent', 'text'],
    ['a name broken over a line', 'the Spi-\nderMonkey engine', 'the SpiderMonkey engine', 'pdf'],
    ['another hyphen', 'as Navier–Stokes says', 'as Navier-Stokes says', 'text'],
    ['another dash', 'some word — other thing', 'some word -- other thing', 'text'],
    ['a typed en dash', 'on pages 3--5 of it', 'on pages 3–5 of it', 'text'],
    ['other quotation marks', 'He said “it is ready” now', "He said 'it is ready' now", 'text'],
    ['other quotation marks inside others', 'the "Protocol "L2TP"", in short', "the 'Protocol 'L2TP'', in short", 'text'],
    ['an apostrophe in quotation marks', 'He said "it\'s ready" now', "He said 'it's ready' now", 'text'],
    ['emphasis of a number', 'a field of **5** bytes where *n* is set', 'a field of 5 bytes where n is set', 'markdown'],
    ['a heading in small letters', 'THE TIMER BLOCK OF A BUS', 'The timer block of a bus', 'text'],
  ])('(but they are one in spite of %s)', (_, document, quote, format) => {
    expect(judge(document, quote, format)).toMatchObject({ status: 'verified' });
  });
});

describe('a negation is not left out', () => {
  test.each<[string, string, string, DocumentFormat]>([
    ['in bold, after the quote', 'The device retries **not** the request.', 'The device retries', 'markdown'],
    ['in italics, after the quote', 'The device retries _never_ the request.', 'The device retries', 'markdown'],
    ['in stars of a text', 'The device retries *not* the request.', 'The device retries', 'text'],
    ['in a tag', 'The device retries <b>not</b> the request.', 'The device retries', 'markdown'],
    ['behind an adverb', 'The device is certainly not idle.', 'The device is', 'text'],
    ['in "under no circumstances"', 'Access is allowed under no circumstances.', 'Access is allowed', 'text'],
    ['in "Not all of the"', 'Not all of the harts need be targets.', 'harts need be targets.', 'text'],
    ['in "None of the known"', 'None of the known harts need be targets.', 'harts need be targets.', 'text'],
    ['behind "under any load"', 'It must not under any load retry the call.', 'retry the call.', 'text'],
    ['behind an insertion in brackets', 'It must not (in general) retry the call.', 'retry the call.', 'text'],
    ['behind an insertion in commas', 'It must not, under load, retry the call.', 'retry the call.', 'text'],
    ['before a quotation mark', 'It MUST NOT "retry the request" at all.', 'retry the request', 'text'],
    ['behind something unseen, after the quote', 'The device retries\u200b not the request.', 'The device retries', 'text'],
    ['behind "however"', 'It is not, however, the case that we retry.', 'case that we retry.', 'text'],
    ['in a prefix that stands apart', 'Use non volatile memory here.', 'volatile memory here.', 'text'],
    ['in "not in any way required to"', 'The device is not in any way required to retry the call.', 'retry the call.', 'text'],
    ['in "not expected or required to"', 'The device is not expected or required to retry the call.', 'retry the call.', 'text'],
    ['in "can never be assumed to"', 'The device can never be assumed to retry the call.', 'retry the call.', 'text'],
    ['in "not ever again silently"', 'The device must not ever again silently retry the call.', 'retry the call.', 'text'],
    ['in "None of … and …"', 'None of the known and well documented harts need be targets.', 'harts need be targets.', 'text'],
    ['in "no obligation for clients to"', 'There is no obligation for clients to retry the call.', 'retry the call.', 'text'],
    ['behind an insertion in spaced hyphens', 'The device must not - under load - retry the call.', 'retry the call.', 'text'],
    ['behind an insertion in spaced dashes', 'The device must not – under load – retry the call.', 'retry the call.', 'text'],
    ['behind an insertion in long dashes', 'The device must not—under load—retry the call.', 'retry the call.', 'text'],
    ['in "without first having to"', 'It answers without first having to retry the call.', 'retry the call.', 'text'],
    ['in "not … or"', 'The device must not drop or retry the call.', 'retry the call.', 'text'],
    ['in "neither", after the quote', 'The device retries neither request.', 'The device retries', 'text'],
    ['in "unable to"', 'The device is unable to retry the call.', 'retry the call.', 'text'],
    ['in "unlikely to"', 'The device is unlikely to ever retry the call.', 'retry the call.', 'text'],
    ['in "fails to"', 'The device fails to retry the call.', 'retry the call.', 'text'],
    ['in "prohibited from"', 'The device is prohibited from retrying the call.', 'retrying the call.', 'text'],
    ['with a modifier letter as apostrophe', 'It doesn\u02bct retry the call.', 'retry the call.', 'text'],
    ['with an opening quotation mark as apostrophe', 'It doesn\u2018t retry the call.', 'retry the call.', 'text'],
    ['with an accent as apostrophe', 'It doesn\u00b4t retry the call.', 'retry the call.', 'text'],
    ['without its apostrophe', 'It doesnt retry the call.', 'retry the call.', 'text'],
  ])('%s', (_, document, quote, format) => {
    expect(judge(document, quote, format)).toMatchObject({ status: 'rejected', reason: 'clipped' });
  });

  test.each([
    ['over an empty line', 'The message is retried\n\nnot by the client', 'The message is retried'],
    ['out of another sentence in quotation marks', 'It is not. "The device answers" now', 'The device answers'],
    ['the other half of "and"', 'The client does not cache it and retries the call.', 'retries the call.'],
    ['an aside in brackets or dashes', 'The client - not the server - retries the call.', 'retries the call.'],
    ['what fails without "to"', 'If a call fails the device retries it.', 'the device retries it.'],
    ['three words of content away', 'It does not depend on old links that the client uses.', 'the client uses.'],
  ])('(but it does not reach %s)', (_, document, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'verified' });
  });
});
