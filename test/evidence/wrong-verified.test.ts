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

describe('an editor’s bracket does not turn what is said', () => {
  test.each([
    ['The drug kills the cells of the old group.', 'The drug [saves] the cells of the old group.', 'near'],
    ['The device is unable to retry the call.', 'The device is [able] to retry the call.', 'rejected'],
    ['We reject the claim of the authors on it.', 'We [accept] the claim of the authors on it.', 'rejected'],
    ['Mortality fell sharply in patients on aspirin.', 'Mortality [rose] in patients on aspirin.', 'near'],
    ['Bob sued Alice over the house in the town', '[Alice] sued [Bob] over the house in the town', 'near'],
    ['The client retries the call of the host.', 'The client [refuses that it] retries the call of the host.', 'rejected'],
    ['The client retries the call of the host.', '[Unlike the server] The client retries the call of the host.', 'near'],
    ['Host = uri-host [ ":" port ] in the grammar', 'Host = uri-host [ "," port ] in the grammar', 'rejected'],
    ['See the law [Note 1] of the town office.', 'See the law [Note ] of the town office.', 'rejected'],
    ['The field is [optional] in all of it', 'The field is [obligatory] in all of it', 'rejected'],
  ])('%s', (document, quote, status) => {
    expect(judge(document, quote).status).toBe(status);
  });
});

describe('an ellipsis within a sentence', () => {
  test.each([
    ['The pump must be below 40 degrees when it works.', 'The pump must be ... degrees when it works.', 'below → …'],
    ['The device shall retry when the bus is idle at once.', 'The device shall retry ... at once or so.'.replace(' or so', ''), null],
    ['The device shall retry while the bus is idle and stop it.', 'The device shall retry ... and stop it.', 'while → …'],
    ['The device is unable to retry the call and stops.', 'The device is ... retry the call and stops.', 'unable → …'],
    ['The drug acts well, lacking effects in human patients.', 'The drug acts well ... in human patients.', 'lacking → …'],
    ['Not all harts are targets, and if one is off, it will not be a target.', 'Not all harts are targets ... be a target.', 'not → …'],
  ])('may not hide what binds: %s', (document, quote, diff) => {
    const evidence = judge(document, quote);
    expect(evidence.status).toBe('rejected');
    if (diff !== null) expect(evidence).toMatchObject({ reason: 'altered', diff });
  });

  test.each([
    ['The voltage of the core is 5 V and that of the pads is 3 V in idle mode.', 'The voltage of the core is ... 3 V in idle mode.'],
    ['The reset value of it is 5 or 7 in sleep mode.', 'The reset value of it is 5 ... in sleep mode.'],
    ['Port A is an input pin and port B is an output pin.', 'Port A is ... an output pin.'],
    ['Drug A was well borne by patients; drug B was lethal.', 'Drug A was ... drug B was lethal.'],
    ['Drug A was borne well, drug B was quite lethal there.', 'Drug A was ... quite lethal there.'],
  ])('that joins two statements, or hides a number, is for a person: %s', (document, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'near', reason: null, diff: expect.stringMatching(/ → …$/) });
  });

  test.each([
    ['The server located at the core of the chip found the fault.', 'The server located ... found the fault.'],
    ['The rule of Section 4 of the manual binds the whole crew.', 'The rule of ... binds the whole crew.'],
  ])('may hide the rest: %s', (document, quote) => {
    expect(judge(document, quote).status).toBe('elided');
  });

  test('"e.g." ends no sentence', () => {
    expect(judge('The device retries e.g. Not the call but the packets.', 'The device retries e.g. ... the packets.').status).toBe(
      'rejected',
    );
  });
});

describe('negation is known in other languages', () => {
  test.each([
    ['Das Gerät darf nicht den Ruf wiederholen.', 'den Ruf wiederholen.'],
    ['Das Gerät darf den Ruf nicht wiederholen.', 'Das Gerät darf den Ruf'],
    ['Keine Daten werden an Dritte gesendet.', 'Daten werden an Dritte gesendet.'],
    ['Le client ne doit pas répéter la requête.', 'répéter la requête.'],
    ['Le client ne doit pas répéter la requête.', 'Le client'],
    ['Aucun client ne doit répéter la requête.', 'client ne doit répéter la requête.'],
    ['El cliente nunca debe repetir la llamada.', 'debe repetir la llamada.'],
    ['Il cliente non deve ripetere la chiamata.', 'deve ripetere la chiamata.'],
    ['O cliente não deve repetir a chamada.', 'deve repetir a chamada.'],
    ['De klant mag niet opnieuw bellen.', 'opnieuw bellen.'],
    ['Клиент не должен повторять запрос.', 'должен повторять запрос.'],
    ['لا يجوز للعميل إعادة الطلب.', 'يجوز للعميل إعادة الطلب.'],
    ['客户端不会重试该请求。', '会重试该请求。'],
    ['客户端不会重试该请求。', '客户端'],
    ['该设备没有重新启动系统。', '重新启动系统。'],
    ['クライアントは再送しません。', 'クライアントは再送し'],
    ['クライアントは再送してはならない。', 'クライアントは再送して'],
    ['클라이언트는 재시도하지 않는다.', '클라이언트는 재시도하지'],
  ])('%s', (document, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'rejected', reason: 'clipped' });
  });

  test.each([
    ['Das Gerät darf den Ruf nicht innerhalb einer Stunde wiederholen.', 'Das Gerät darf den Ruf ... einer Stunde wiederholen.'],
    ['Das Gerät darf den Ruf wiederholen.', 'Das Gerät darf den Ruf [nicht] wiederholen.'],
  ])('in an ellipsis and in brackets: %s', (document, quote) => {
    expect(judge(document, quote).status).toBe('rejected');
  });

  test.each([
    ['電圧は十五ボルトです。', '五ボルトです。'],
    ['電圧は15万円です。', '電圧は15'],
    ['人口は3億人です。', '人口は3'],
    ['温度为负五度，设备停止。', '五度，设备停止。'],
    ['共有一千二百台设备在线。', '共有一千'],
  ])('a number of Chinese or Japanese is not cut: %s', (document, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each([
    ['该设备非常稳定地运行。', '稳定地运行。'],
    ['装置は、本質的には数字だけを速く扱うことができません。', '装置は、本質的には'],
    ['サーバーは停止する。再送はしない。', 'サーバーは停止する。'],
    ['Der Wert ist fünf. Nicht mehr.', 'Der Wert ist fünf.'],
  ])('but not where there is none: %s', (document, quote) => {
    expect(judge(document, quote).status).toBe('verified');
  });
});

describe('a number keeps its unit, and a unit its rest', () => {
  test.each([
    ...['km|/h', 'mg|/kg', 'mg| per day', 'V|/m', 'Mbit|/s', 'ppm|/K', 'm|·s', 'm|⁻¹', 'm| s−1'],
    ...['| €', '|€', '| USD', '| dollars', '| percent', '| bn', '| years', '| weeks', '| inches', '| mol', '| rpm', '| lb', '| dozen'],
    ...['| ½', '| E-3', '|″', "|'", '|! for', '|％', '|．7', '，|700'.replace('，|', '|，'), '| and a half', '|{,}000'],
  ])('5 %s', (unit) => {
    const [kept = '', left = ''] = unit.split('|');
    const quote = `The limit is 5${kept === '' ? '' : ` ${kept}`}`;
    expect(judge(`${quote}${left} in the lab today`, quote)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each(['√', '＜', '～', '＋', '1÷', 'maximum of ', 'max. ', 'twice ', 'half of ', '¬', 'höchstens '])('%s5', (sign) => {
    expect(judge(`The value is ${sign}5 bar in the lab`, '5 bar in the lab')).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each([
    ['It takes fewer than |five seconds', 'five seconds'],
    ['It takes minus |five degrees', 'five degrees'],
    ['It takes one hundred |five bars', 'five bars'],
    ['It takes twenty |five bars', 'five bars'],
  ])('in words: %s', (document, quote) => {
    expect(judge(document.replace('|', ''), quote)).toMatchObject({ status: 'rejected', reason: 'cut' });
    expect(judge('It takes five million bars', 'It takes five')).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each([
    ['The ion Ca+ of it', 'The ion Ca'],
    ['Use C++ for the code', 'Use C'],
    ['Use C# for the code', 'Use C'],
    ['The signal is RESET# for all', 'The signal is RESET'],
    ['The signal is #RESET for all', 'RESET for all'],
    ['if (a != b) then stop', '= b) then stop'],
    ['if (a ≠ b) then stop', 'b) then stop'],
    ['x < y holds in all of it', 'y holds in all of it'],
  ])('and so does a name: %s', (document, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'rejected', reason: 'cut' });
  });

  test.each([
    ['The value is "5" for the disk', '"The value is "5'],
    ['We have 5 in the lab! For all', 'We have 5 in the lab'],
    ['It has 5 rooms for all', 'It has 5'],
    ['We met at five and left', 'five and left'],
  ])('but what is none may be left out: %s', (document, quote) => {
    expect(judge(document, quote).status).toBe('verified');
  });
});

describe('a limit of length does not make another word', () => {
  const filler =
    'The lamp of the harbour is lit by hand in the night of each day of the week by the keeper of the tower who has the key of it, '.repeat(
      2,
    );

  test.each(['harm|less', 'in|active', 'use|less', 'fif|teen', 'kilo|volts', 'un|known'])('%s', (word) => {
    const [kept = ''] = word.split('|');
    expect(judge(`${filler}and it is ${word.replace('|', '')} here`, `${filler}and it is ${kept}`)).toMatchObject({ reason: 'cut' });
  });
});

describe('words that are struck out or commented out are for a person', () => {
  test.each<[string, string, DocumentFormat]>([
    ['~~The value is written to disk.~~ It is lost.', 'The value is written to disk.', 'markdown'],
    ['It is <del>written to disk</del> now.', 'written to disk', 'markdown'],
    ['% The value is 7 for the disk\nIt is 8.', 'The value is 7 for the disk', 'latex'],
    ['The value \\sout{is 7 for the disk} of us', 'is 7 for the disk', 'latex'],
    ['// The value is kept on the disk\nIt is not.', 'The value is kept on the disk', 'asciidoc'],
    ['It is [.line-through]#kept on the disk# now', 'kept on the disk', 'asciidoc'],
  ])('%s', (document, quote, format) => {
    expect(judge(document, quote, format)).toMatchObject({
      status: 'near',
      diff: expect.stringMatching(/^(?:struck out|in a comment) → /),
    });
  });

  test.each<[string, string, DocumentFormat]>([
    ['The rate is 5\\% of the sum.', 'of the sum.', 'latex'],
    ['~~Old.~~ The value is written to disk.', 'The value is written to disk.', 'markdown'],
    ['~~The value is kept.~~ See below. The value is kept.', 'The value is kept.', 'markdown'],
    ['See https://a.example for the details', 'for the details', 'asciidoc'],
  ])('but not what is beside them: %s', (document, quote, format) => {
    expect(judge(document, quote, format).status).toBe('verified');
  });
});

describe('a statement is not taken out of what denies or limits it', () => {
  test.each([
    ['No study has shown that the drug works.', 'the drug works.'],
    ['It is false that the drug works.', 'the drug works.'],
    ['There is no reason to believe the drug works.', 'the drug works.'],
    ['Few clients retry the call.', 'clients retry the call.'],
    ['Clients are rarely allowed to retry.', 'allowed to retry.'],
    ['Only administrators may delete it.', 'administrators may delete it.'],
    ['The device lacks support for retries.', 'support for retries.'],
    ['The device avoids retrying the call.', 'retrying the call.'],
    ['In no case does the device open.', 'the device open.'],
    ['The value is not [yet] written to disk.', 'written to disk.'],
    ['It isn´t able to retry the call.', 'able to retry the call.'],
    ['MUST NOT: retry the call.', 'retry the call.'],
    ['The device MUST NOT\n\nretry the call.', 'retry the call.'],
    ['The device must wait until the bus is idle.', 'The device must wait.'],
    ['The device must wait for at most a day.', 'The device must wait.'],
    ['It may retry only once.', 'It may retry.'],
    ['All of it holds, except that it may stop.', 'All of it holds.'],
  ])('%s', (document, quote) => {
    expect(judge(document, quote)).toMatchObject({ status: 'rejected', reason: 'clipped' });
  });

  test.each<[string, string, DocumentFormat]>([
    ['A few clients retry the call.', 'clients retry the call.', 'text'],
    ['The set holds none\n\nto advise the client of it.', 'to advise the client of it.', 'text'],
    ['The device must wait until the bus is idle.', 'The device must wait', 'text'],
    ['- Old versions do not retry\n- Ensure consistent calls', '- Ensure consistent calls', 'markdown'],
    ['Things you need not\n## Ensure consistent calls', '## Ensure consistent calls', 'markdown'],
    ['4.2 The state of the document\nNo changes are allowed here.', 'The state of the document', 'pdf'],
    ['Retry | no\nOpening of valves | yes', 'Opening of valves | yes', 'html'],
    ['Opening of valves | yes\nno retry | no', 'Opening of valves | yes', 'html'],
    ['It is used with\nnon-volatile cells', 'It is used with', 'text'],
  ])('but what stands beside it is no such thing: %s', (document, quote, format) => {
    expect(judge(document, quote, format).status).toBe('verified');
  });

  test('a line of running text that ends in "not" leads in no list', () => {
    const document = '   The way of it has not\n   been tried in the open.\n\n12.  Change Log\n\n   Updated the part on boats.\n';
    expect(judge(document, 'Updated the part on boats.', 'rfc').marks).toBeUndefined();
  });
});

describe('words are not joined, split or renamed', () => {
  test.each<[string, string, DocumentFormat]>([
    ['the therapist is in the lot', 'the the rapist is in the lot', 'text'],
    ['the therapist is in the lot', 'the rapist is in the lot', 'text'],
    ['it is some times an act of it', 'it is sometimes an act of it', 'html'],
    ['we re-sign the contract of it', 'we resign the contract of it', 'text'],
    ["we don't like the coat of it", 'we donfit like the coat of it', 'pdf'],
    ['the value is a<b in all of it', 'the value is afib in all of it', 'pdf'],
    ['the term li/e is in all of it', 'the term life is in all of it'.replace('life', 'liffe'), 'pdf'],
    ['the pa!able coe!cient is big', 'the paffable coefficient is big', 'pdf'],
    ['Use of port80 by the drug', 'Use of port', 'pdf'],
    ['The vitamin12 of the drug', 'The vitamin', 'pdf'],
    ['the Polish engineers of it', 'the polish engineers of it', 'text'],
  ])('%s', (document, quote, format) => {
    expect(judge(document, quote, format).status).toBe('rejected');
  });
});
