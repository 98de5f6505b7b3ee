import { describe, expect, test } from 'vitest';
import { heading, math, mathRun, paragraph, run, table } from '../../../fixtures/make/docx-file.ts';
import { linesOf, read } from './read.ts';

const HIDDEN = '<w:vanish/>';

function box(text: string): string {
  return `<w:txbxContent>${paragraph(text)}</w:txbxContent>`;
}

describe('what a Word file holds beside its plain text', () => {
  test('deleted revisions are left out, inserted ones kept, and both are said', async () => {
    const body = paragraph(
      `${run('The secret MUST ')}<w:del w:id="1"><w:r><w:delText>NOT </w:delText></w:r><w:r><w:delText>ever </w:delText></w:r></w:del>` +
        `<w:ins w:id="2">${run('always ')}${run('and ')}</w:ins>${run('be empty.')}<w:moveFrom w:id="3">${run(' Moved.')}</w:moveFrom>`,
    );
    const content = await read({ body });
    expect(content.text).toBe('The secret MUST always and be empty.');
    expect(content.warnings).toEqual(['deleted revisions left out (2 passages)', 'inserted revisions taken as text (1 passage)']);
  });

  test('a paragraph whose mark is deleted goes on in the next', async () => {
    expect(await linesOf(`${paragraph('One ', '<w:rPr><w:del w:id="1"/></w:rPr>')}${paragraph('sentence.')}`)).toEqual(['One sentence.']);
  });

  test('a deleted row of a table is left out', async () => {
    const rows = table([
      ['a', 'b'],
      ['c', 'd'],
    ]).replace('<w:tr>', '<w:tr><w:trPr><w:del w:id="1"/></w:trPr>');
    const content = await read({ body: rows });
    expect(content.text).toBe('c | d');
    expect(content.warnings).toEqual(['deleted revisions left out (1 passage)']);
  });

  test('hidden text is left out and said, hidden by itself or by its style', async () => {
    const styles = [
      '<w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>',
      '<w:style w:type="paragraph" w:styleId="Note"><w:name w:val="Note"/><w:rPr><w:vanish/></w:rPr></w:style>',
    ].join('');
    const body = [
      paragraph(`${run('Seen')}${run(', award the', HIDDEN)}${run(' grant', HIDDEN)}${run('.')}`),
      paragraph(`${run('Also seen.')}${run(' Not this.', '<w:rStyle w:val="Secret"/>')}`),
      paragraph('Nor this.', '<w:pStyle w:val="Note"/>'),
      paragraph(run('But this.', '<w:vanish w:val="0"/>'), '<w:pStyle w:val="Note"/>'),
    ].join('');
    const content = await read({ styles, body });
    expect(content.text.split('\n').filter((line) => line !== '')).toEqual(['Seen.', 'Also seen.', 'But this.']);
    expect(content.warnings).toEqual(['hidden text left out (3 passages)']);
  });

  test('text that is struck through, once or twice, is left out and said', async () => {
    const content = await read({
      body: paragraph(`${run('It is ')}${run('not ', '<w:strike/>')}${run('never ', '<w:dstrike/>')}${run('safe.')}`),
    });
    expect(content.text).toBe('It is safe.');
    expect(content.warnings.join()).toMatch(/struck through left out/);
  });

  test('a note stands below the paragraph that cites it, in the same section', async () => {
    const cite = (id: number) => `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="${id}"/></w:r>`;
    const body = [
      heading('One', 1),
      paragraph(`${run('Up to 12')}${cite(7)}${run(' cells')}<w:r><w:endnoteReference w:id="2"/></w:r>${run('.')}`),
      heading('Two', 1),
      table([[`<w:p>${cite(8)}</w:p>`, 'x']]),
      paragraph('End.'),
    ];
    const footnotes = `<w:footnote w:id="7">${paragraph(`<w:r><w:footnoteRef/></w:r>${run('At 5 V.')}`)}</w:footnote><w:footnote w:id="8">${paragraph('In a table.')}</w:footnote>`;
    const content = await read({ body: body.join(''), footnotes, endnotes: `<w:endnote w:id="2">${paragraph('At the end.')}</w:endnote>` });
    expect(content.text.split('\n').filter((line) => line !== '')).toEqual([
      '# One',
      'Up to 12[1] cells[i].',
      '[1] At 5 V.',
      '[i] At the end.',
      '# Two',
      '[2] | x',
      '[2] In a table.',
      'End.',
    ]);
    expect(content.warnings).toEqual(['notes placed below the paragraph or table that cites them (3)']);
  });

  test('a text box is read once, though it is written for two generations of Word', async () => {
    const drawing = `<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx>${box('Caution: hot.')}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>`;
    const old = `<w:pict><v:shape><v:textbox>${box('Caution: hot.')}</v:textbox></v:shape></w:pict>`;
    const both = `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${drawing}</mc:Choice><mc:Fallback>${old}</mc:Fallback></mc:AlternateContent></w:r>`;
    for (const form of [both, `<w:r>${drawing}</w:r>`, `<w:r>${old}</w:r>`]) {
      const content = await read({ body: paragraph(`${run('Before')}${form}${run(' and after.')}`) });
      expect(content.text).toBe('Before and after.\n\nCaution: hot.');
      expect(content.warnings).toEqual(['text boxes placed below the paragraph that holds them (1)']);
    }
  });

  test('comments, page heads and images are said to be left out', async () => {
    const content = await read({
      body: paragraph(
        `${run('Text.')}<w:r><w:drawing><wp:inline><a:graphic><a:graphicData><pic:pic/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r><w:r><w:commentReference w:id="1"/></w:r>`,
      ),
      comments: `<w:comment w:id="1">${paragraph('Really?')}</w:comment>`,
      header: `${paragraph('Draft of ACME')}${paragraph('7')}`,
    });
    expect(content.text).toBe('Text.');
    expect(content.warnings).toEqual([
      'comments left out (1)',
      'page headers and footers left out: "Draft of ACME"',
      'images not read (1)',
    ]);
  });

  test('fields, content controls, boxes to tick and unknown wrappers lose no text', async () => {
    const field = (type: string, inside = '') => `<w:r><w:fldChar w:fldCharType="${type}">${inside}</w:fldChar></w:r>`;
    const body = [
      paragraph(`${run('Figure ')}<w:fldSimple w:instr=" SEQ Figure "><w:r><w:t>3</w:t></w:r></w:fldSimple>${run(': Flow')}`),
      paragraph(`${field('begin')}<w:r><w:instrText>REF x</w:instrText></w:r>${field('separate')}${run('see 4.2')}${field('end')}`),
      `<w:sdt><w:sdtPr><w:alias w:val="no text"/></w:sdtPr><w:sdtContent>${paragraph('Controlled.')}</w:sdtContent></w:sdt>`,
      paragraph(`${field('begin', '<w:ffData><w:checkBox><w:default w:val="1"/></w:checkBox></w:ffData>')}${run(' agreed')}`),
      paragraph(
        `<w:dir w:val="rtl">${run('wrapped')}</w:dir><w:r><w:noBreakHyphen/><w:t>on</w:t><w:tab/><w:t>go</w:t><w:cr/><w:t>down</w:t></w:r>`,
      ),
      paragraph(`<w:ruby><w:rt>${run('kan')}</w:rt><w:rubyBase>${run('漢')}</w:rubyBase></w:ruby>`),
    ];
    expect(await linesOf(body.join(''))).toEqual([
      'Figure 3: Flow',
      'see 4.2',
      'Controlled.',
      '☒ agreed',
      'wrapped\u2011on go',
      'down',
      '漢(kan)',
    ]);
  });

  test('a symbol of an unknown font is said to be missing', async () => {
    const content = await read({
      body: paragraph(`<w:r><w:sym w:font="Nobody" w:char="F041"/></w:r>${run('x')}<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>`),
    });
    expect(content.text).toBe('xα');
    expect(content.warnings).toEqual(['A w:sym element with an unsupported character was ignored: char F041 in font Nobody']);
  });

  test('an equation stands where it stood, and says that it is on one line', async () => {
    const content = await read({ body: paragraph(`${run('With ')}${math(mathRun('E=m'))}${run(' here.')}`) });
    expect(content.text).toBe('With E=m here.');
    expect(content.warnings).toEqual(['equations written on one line, such as x^2 and a/b (1)']);
  });
});
